import type { Readable } from 'node:stream'
import { AppError } from '../../../../shared/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelCallChange } from '../../../../shared/panel/panel.ts'
import { createDecoder } from '../../bridge/wire/body-decoder.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'
import type { PanelResponse } from '../call/types.ts'
import { createOverrideErrorResponse } from './fault-response.ts'
import { removeJsonValue, setJsonValue, type TextEditProblem } from '../../../core/json/text-edit.ts'

type OverrideChange = Extract<OverrideRule['answer'], { kind: 'change' }>['changes'][number]

/** Values at the pointer as JSON text, null for none, or why the pointer does not exist. */
interface AppliedChange {
  readonly at: string
  readonly from: string | null
  readonly to: string | null
  readonly problem: { readonly why: TextEditProblem; readonly at: string } | null
}

/**
 * Applies a rule's changes to valid JSON text, in order. The text outside the changed values stays
 * the same byte for byte. A change whose pointer does not exist is skipped and reported.
 */
export function applyChanges(
  text: string,
  changes: readonly OverrideChange[],
): { readonly text: string; readonly applied: readonly AppliedChange[] } {
  let editedText = text
  const applied = changes.map((change): AppliedChange => {
    const to = change.do === 'set' ? JSON.stringify(change.value) : null
    const edited = to === null ? removeJsonValue(editedText, change.at) : setJsonValue(editedText, change.at, to)
    if ('problem' in edited) {
      return { at: change.at, from: null, to, problem: { why: edited.problem, at: edited.reachedPointer } }
    }
    editedText = edited.text
    return { at: change.at, from: edited.before, to, problem: null }
  })
  return { text: editedText, applied }
}

type Change = Extract<OverrideRule['answer'], { kind: 'change' }>
type HttpPanelResponse = Extract<PanelResponse, { kind: 'answer' }>

/** A response that a rule may change is held in memory. */
const MAX_CHANGED_BYTES = 32 * 1024 * 1024
/** Maximum characters of a recorded value. */
const MAX_SHOWN_CHARS = 2_000

/** Headers that describe the bytes as the host sent them. */
const BYTE_HEADERS =
  /^(?:content-length|content-encoding|transfer-encoding|etag|content-md5|(?:content-|repr-)?digest|accept-ranges)$/i

/**
 * Applies a rule's changes to the host's response. If the response cannot be changed (no JSON, a
 * part of a body, too long), returns a 502 `OVERRIDE_FAILED`, because an unchanged response would
 * suggest that the rule was applied. A body that is interrupted becomes `broken`.
 */
export async function applyRuleChanges(
  rule: OverrideRule,
  { changes }: Change,
  response: PanelResponse,
  maxBytes = MAX_CHANGED_BYTES,
): Promise<PanelResponse> {
  // A rule without changes only delays, whatever the body is.
  if (response.kind === 'broken' || changes.length === 0) return response
  const createFailure = (explanation: string): PanelResponse => {
    if (response.body !== null && !Buffer.isBuffer(response.body)) response.body.destroy()
    return createOverrideErrorResponse(502, {
      code: 'OVERRIDE_FAILED',
      message: `The rule “${rule.name}” could not be applied: ${explanation}`,
    })
  }
  if (response.status === 206) return createFailure('the answer is only a part of a body.')
  let bytes: Buffer | 'too long'
  try {
    bytes = await readDecodedBody(response, maxBytes)
  } catch (error) {
    if (error instanceof AppError) return createFailure(error.message)
    return { kind: 'broken' }
  }
  if (bytes === 'too long') return createFailure(`the answer is longer than ${maxBytes} bytes.`)
  const { isValid, text } = inspectJson(bytes)
  if (!isValid) return createFailure('the answer is not JSON.')
  const result = applyChanges(text, changes)
  return {
    kind: 'answer',
    status: response.status,
    headers: response.headers.filter(([name]) => !BYTE_HEADERS.test(name)),
    body: Buffer.from(result.text),
    changes: [...(response.changes ?? []), ...result.applied.filter(hasEffect).map(toCallChange)],
  }
}

/** False for the removal of a value that does not exist. */
const hasEffect = ({ from, to, problem }: AppliedChange): boolean => from !== null || to !== null || problem !== null

const toCallChange = ({ at, from, to, problem }: AppliedChange): PanelCallChange => ({
  where: 'answer',
  member: at,
  from: from && truncateText(from),
  to: to && truncateText(to),
  why: problem ? 'override-missed' : 'override',
})

const truncateText = (text: string): string =>
  text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text

const findHeader = (headers: RawHeaders, name: string): string =>
  headers
    .find(([headerName]) => headerName.toLowerCase() === name)?.[1]
    .trim()
    .toLowerCase() ?? ''

/** @throws ENCODING_UNKNOWN, and the stream's error. */
async function readDecodedBody({ headers, body }: HttpPanelResponse, maxBytes: number): Promise<Buffer | 'too long'> {
  if (body === null) return Buffer.alloc(0)
  const decoder = createDecoder(findHeader(headers, 'content-encoding'))
  if (Buffer.isBuffer(body) && decoder === null) return body.byteLength > maxBytes ? 'too long' : body
  const stream = decoder === null || Buffer.isBuffer(body) ? body : body.on('error', (error) => decoder.destroy(error))
  if (decoder !== null) {
    if (Buffer.isBuffer(stream)) decoder.end(stream)
    else stream.pipe(decoder)
  }
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of (decoder ?? stream) as Readable) {
    const bytes = Buffer.from(piece as Uint8Array)
    size += bytes.byteLength
    if (size > maxBytes) return 'too long'
    pieces.push(bytes)
  }
  return Buffer.concat(pieces)
}
