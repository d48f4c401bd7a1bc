import { z } from 'zod'

/** Version of the interface that every answer of the observed endpoints carries (spec §9). */
export const versioned = { bridgeApiVersion: z.string().optional() }

/** `persisted` of a write: only `true` counts as done (spec §1). Absent where the host does not say it. */
export const writeResultSchema = z.looseObject({ ...versioned, persisted: z.boolean().optional() })
export type WriteResult = z.infer<typeof writeResultSchema>

/** Members that write bodies share: the host fills both for panel requests (spec §4). */
export const writeBody = { confirm: z.boolean().optional() }
