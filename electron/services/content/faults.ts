import { AppError } from '../../../shared/errors.ts'

const fault = (code: string, message: string): AppError =>
  new AppError({ kind: 'malformed', code, message, retryable: false })

/** What was read before and what comes now are not of the same content. */
export const changed = (): AppError =>
  fault('CONTENT_CHANGED', 'The content has changed at the host since it was opened. Open it again.')

/** The host answered with other bytes than those that were asked for. */
export const wrongRange = (): AppError =>
  fault('RANGE_WRONG', 'The host answered other bytes than were asked for. They were not used.')

/** The content ended before its announced end. */
export const cut = (at: number): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'CONTENT_CUT',
    message: `The content ended after ${at} bytes, before its end.`,
    retryable: true,
    params: { at },
  })
