import { AppError } from '../../shared/errors.ts'
import { broken } from './update-release.ts'

const brokenFeed = [
  'ERR_UPDATER_INVALID_UPDATE_INFO',
  'ERR_UPDATER_INVALID_VERSION',
  'ERR_UPDATER_NO_FILES_PROVIDED',
  'ERR_UPDATER_NO_CHECKSUM',
  'ERR_UPDATER_ASSET_NOT_FOUND',
]

/** What the library threw, by its code. Its messages are left out: they hold addresses, paths and whole answers. */
export function updateError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const { code = '', message = '' } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : {}
  if (code === 'ERR_UPDATER_CHANNEL_FILE_NOT_FOUND') {
    return error('UPDATE_FEED_MISSING', 'There is no description of an update for this system at this address.')
  }
  if (brokenFeed.includes(code)) return broken()
  if (code === 'ERR_CHECKSUM_MISMATCH') {
    return error('UPDATE_WRONG_CHECKSUM', 'The file is not the one that the address describes. It was deleted.')
  }
  if (code === 'ERR_UPDATER_INVALID_SIGNATURE') {
    return error('UPDATE_WRONG_SIGNATURE', 'The file is not signed by whoever made this program. It was deleted.')
  }
  if (message.includes('ERR_BLOCKED_BY_CLIENT')) {
    return addressRefused()
  }
  const status = /^HTTP_ERROR_(\d{3})$/.exec(code)?.[1]
  if (status !== undefined) return error('UPDATE_HTTP', `The server answered with ${status}.`, { status })
  const reason = /net::(ERR_[A-Z_]+)/.exec(message)?.[1] ?? (/^E[A-Z_]+$/.test(code) ? code : null)
  if (reason !== null) {
    return error('UPDATE_UNREACHABLE', `Nothing could be read from this address (${reason}).`, { reason }, 'offline')
  }
  return error('UPDATE_FAILED', 'The update failed. This version stays as it is.')
}

/** The update led where none may come from. */
export const addressRefused = (): AppError =>
  error(
    'UPDATE_ADDRESS_REFUSED',
    'The address led to one that is neither over TLS nor on this machine. Nothing was read from there.',
  )

function error(
  code: string,
  message: string,
  params?: Record<string, string>,
  kind: 'offline' | 'refused' = 'refused',
): AppError {
  return new AppError({ kind, code, message, retryable: true, ...(params ? { params } : {}) })
}
