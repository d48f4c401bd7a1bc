import { AppError } from '../../../shared/errors.ts'

const fault = (code: string, message: string): AppError =>
  new AppError({ kind: 'malformed', code, message, retryable: false })

/** What was read earlier and what comes now do not belong to the same content. */
export const changed = (): AppError =>
  fault('CONTENT_CHANGED', 'The content has changed on the host since it was opened. Open it again.')

/** The host sent other bytes than those requested. */
export const wrongRange = (): AppError =>
  fault('RANGE_WRONG', 'The host sent other bytes than those requested. They were not used.')

/** The content ended before its announced length. */
export const cut = (at: number): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'CONTENT_CUT',
    message: `The content broke off after ${at} bytes.`,
    retryable: true,
    params: { at },
  })
