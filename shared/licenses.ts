import { z } from 'zod'

/** Where the page's build puts the list, as an address in the page's own origin. */
export const LICENSES_FILE = 'licenses.json'

const licenseSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** SPDX expression. */
  identifier: z.string(),
  /** Its license files and notices, unchanged. */
  text: z.string(),
})

/** Bundled third-party packages: one entry per package and version, by name. */
export const licensesSchema = z.array(licenseSchema)

/** A package that is part of the program, and its license. */
export type License = z.infer<typeof licenseSchema>
