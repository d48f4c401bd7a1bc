import { z } from 'zod'

/** The interface version that every response of the observed endpoints carries (spec §9). */
export const versionMembers = { bridgeApiVersion: z.string().optional() }

/** A write's `persisted`: only `true` counts as done (spec §1). Absent if the host does not say. */
export const writeResultSchema = z.looseObject({ ...versionMembers, persisted: z.boolean().optional() })

/** Members that all write bodies share: for panel requests the host fills them in (spec §4). */
export const writeBodyMembers = { confirm: z.boolean().optional() }
