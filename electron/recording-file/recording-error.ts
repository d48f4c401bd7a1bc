import { AppError } from '../../shared/errors.ts'
import type { RecordingErrorCode } from '../../shared/recordings/recording.ts'

/** An error about a recording file; `params.entry` names the entry that it is about. */
export function createRecordingError(
  code: RecordingErrorCode,
  message: string,
  params: Record<string, string | number> = {},
): AppError {
  return new AppError({ kind: 'malformed', code, message, retryable: false, params })
}

export function createDamagedError(entry: string, reason: string): AppError {
  return createRecordingError('RECORDING_ENTRY_DAMAGED', `${entry} is damaged: ${reason}.`, { entry, reason })
}

export function createInvalidError(entry: string, reason: string, line?: number): AppError {
  return createRecordingError(
    'RECORDING_ENTRY_INVALID',
    `${line === undefined ? entry : `Line ${line} of ${entry}`} is not what the format says: ${reason}.`,
    { entry, reason, line: line ?? 0 },
  )
}

export function createTooLargeError(entry: string, bytes: number): AppError {
  return createRecordingError('RECORDING_ENTRY_TOO_LARGE', `${entry} has more than ${bytes} bytes.`, { entry, bytes })
}

/** Tells that the disk refused a file; any other error stays as it is. */
export function toSaveError(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  const reason = String(error.code)
  const message = `The file could not be written (${reason}).`
  return new AppError(
    { kind: 'internal', code: 'SAVE_FAILED', message, retryable: true, params: { reason } },
    { cause: error },
  )
}
