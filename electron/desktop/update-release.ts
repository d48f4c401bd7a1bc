import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { Release } from '../../shared/ipc/updates.ts'

/** What is kept of the notes; nobody reads more of them in a settings page. */
const MOST_NOTES = 20_000

/** What the library says of a feed: foreign, and YAML makes dates of some texts. */
const foundSchema = z.object({
  version: z.string().max(100),
  releaseDate: z.union([z.string(), z.date()]).nullish(),
  releaseNotes: z.union([z.string(), z.array(z.object({ note: z.string().nullish() }))]).nullish(),
  files: z.array(z.object({ url: z.string() })).min(1),
})

/**
 * The newer version in what the library read from a feed. Throws `UPDATE_FEED_BROKEN` if it isn't what a feed says, or names a file whose
 * name a shell could take for something else.
 */
export function releaseOf(info: unknown): Release {
  const found = foundSchema.safeParse(info)
  if (!found.success || !found.data.files.every(({ url }) => isPlain(url))) throw broken()
  const { version, releaseDate, releaseNotes } = found.data
  const date = releaseDate instanceof Date ? releaseDate.toISOString() : (releaseDate?.slice(0, 100) ?? null)
  return { version, date, notes: asText(releaseNotes) }
}

export const broken = (): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'UPDATE_FEED_BROKEN',
    message: 'What is at this address does not describe an update.',
    retryable: true,
  })

/** The last part of a path as a plain file name. The path of a download ends up in a shell's command line. */
function isPlain(url: string): boolean {
  try {
    const { pathname } = new URL(url, 'https://feed.invalid/')
    return /^[\w.+~-]+$/.test(decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)))
  } catch {
    return false
  }
}

/** The author's words without markup, and without characters that nobody sees. */
function asText(notes: z.infer<typeof foundSchema>['releaseNotes']): string {
  const text = typeof notes === 'string' ? notes : (notes ?? []).map(({ note }) => note ?? '').join('\n\n')
  return text
    .slice(0, MOST_NOTES)
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '')
    .trim()
}
