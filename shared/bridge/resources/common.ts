import { z } from 'zod'

/** Every response of the observed endpoints contains the interface version (spec §9). */
export const versionMembers = { bridgeApiVersion: z.string().optional() }

/** Only `persisted: true` counts as done (spec §1). It is absent if the host does not say. */
export const writeResultSchema = z.looseObject({ ...versionMembers, persisted: z.boolean().optional() })

/** All write bodies share these members; the host fills them in for panel requests (spec §4). */
export const writeBodyMembers = { confirm: z.boolean().optional() }
