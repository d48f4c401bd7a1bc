import { z } from 'zod'

/** Address of the list, relative to the page's own origin. */
export const LICENSES_FILE = 'licenses.json'

const licenseSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** SPDX expression, such as `MIT OR Apache-2.0`. */
  identifier: z.string(),
  /** License files and notices, unchanged. */
  text: z.string(),
})

/** One entry per bundled package and version, by name. */
export const licensesSchema = z.array(licenseSchema)

export type License = z.infer<typeof licenseSchema>
