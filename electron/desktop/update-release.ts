import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { UpdateRelease } from '../../shared/ipc/updates.ts'

const brokenFeedCodes = [
  'ERR_UPDATER_INVALID_UPDATE_INFO',
  'ERR_UPDATER_INVALID_VERSION',
  'ERR_UPDATER_NO_FILES_PROVIDED',
  'ERR_UPDATER_NO_CHECKSUM',
  'ERR_UPDATER_ASSET_NOT_FOUND',
]

/** Converts by code: electron-updater's messages contain addresses, paths and whole responses. */
export function toUpdateError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const { code = '', message = '' } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : {}
  if (code === 'ERR_UPDATER_CHANNEL_FILE_NOT_FOUND') {
    return createUpdateError(
      'UPDATE_FEED_MISSING',
      'There is no description of an update for this system at this address.',
    )
  }
  if (brokenFeedCodes.includes(code)) return createBrokenFeedError()
  if (code === 'ERR_CHECKSUM_MISMATCH') {
    return createUpdateError(
      'UPDATE_WRONG_CHECKSUM',
      'The file is not the one that the address describes. It was deleted.',
    )
  }
  if (code === 'ERR_UPDATER_INVALID_SIGNATURE') {
    return createUpdateError(
      'UPDATE_WRONG_SIGNATURE',
      'The file is not signed by whoever made this program. It was deleted.',
    )
  }
  if (message.includes('ERR_BLOCKED_BY_CLIENT')) {
    return createAddressRefusedError()
  }
  const status = /^HTTP_ERROR_(\d{3})$/.exec(code)?.[1]
  if (status !== undefined) return createUpdateError('UPDATE_HTTP', `The server answered with ${status}.`, { status })
  const reason = /net::(ERR_[A-Z_]+)/.exec(message)?.[1] ?? (/^E[A-Z_]+$/.test(code) ? code : null)
  if (reason !== null) {
    return createUpdateError(
      'UPDATE_UNREACHABLE',
      `Nothing could be read from this address (${reason}).`,
      { reason },
      'offline',
    )
  }
  return createUpdateError('UPDATE_FAILED', 'The update failed. This version stays as it is.')
}

/** The error for a feed that leads to an address that is not allowed for updates. */
export function createAddressRefusedError(): AppError {
  return createUpdateError(
    'UPDATE_ADDRESS_REFUSED',
    'The address led to one that is neither over TLS nor on this machine. Nothing was read from there.',
  )
}

function createUpdateError(
  code: string,
  message: string,
  params?: Record<string, string>,
  kind: 'offline' | 'refused' = 'refused',
): AppError {
  return new AppError({ kind, code, message, retryable: true, ...(params ? { params } : {}) })
}

/** Longer release notes are cut. Nobody reads more than this in a settings page. */
const MAX_NOTES_CHARS = 20_000

/** An update as electron-updater returns it, from a server; YAML turns some texts into dates. */
const updateInfoSchema = z.object({
  version: z.string().max(100),
  releaseDate: z.union([z.string(), z.date()]).nullish(),
  releaseNotes: z.union([z.string(), z.array(z.object({ note: z.string().nullish() }))]).nullish(),
  files: z.array(z.object({ url: z.string() })).min(1),
})

/** @throws UPDATE_FEED_BROKEN if it is no update, or a file name that a shell could misread */
export function parseRelease(info: unknown): UpdateRelease {
  const parsed = updateInfoSchema.safeParse(info)
  if (!parsed.success || !parsed.data.files.every(({ url }) => hasPlainFileName(url))) throw createBrokenFeedError()
  const { version, releaseDate, releaseNotes } = parsed.data
  const date = releaseDate instanceof Date ? releaseDate.toISOString() : (releaseDate?.slice(0, 100) ?? null)
  return { version, date, notes: toPlainText(releaseNotes) }
}

const createBrokenFeedError = (): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'UPDATE_FEED_BROKEN',
    message: 'What is at this address does not describe an update.',
    retryable: true,
  })

/** False for a name that is unsafe in a shell: a download's path becomes part of a command line. */
function hasPlainFileName(url: string): boolean {
  try {
    const { pathname } = new URL(url, 'https://feed.invalid/')
    return /^[\w.+~-]+$/.test(decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)))
  } catch {
    return false
  }
}

/** Removes markup and invisible characters from release notes. */
function toPlainText(notes: z.infer<typeof updateInfoSchema>['releaseNotes']): string {
  const text = typeof notes === 'string' ? notes : (notes ?? []).map(({ note }) => note ?? '').join('\n\n')
  return text
    .slice(0, MAX_NOTES_CHARS)
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '')
    .trim()
}
