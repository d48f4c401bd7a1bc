import { z } from 'zod'

/** Every response of the observed endpoints contains the interface version (spec §9). */
export const versionMembers = { bridgeApiVersion: z.string().optional() }

/** Only `persisted: true` counts as done (spec §1); absent if the host does not report it. */
export const writeResultSchema = z.looseObject({ ...versionMembers, persisted: z.boolean().optional() })

/** The host itself adds these members for requests of panels (spec §4). */
export const writeBodyMembers = { confirm: z.boolean().optional() }
