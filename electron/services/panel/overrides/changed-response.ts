import type { Readable } from 'node:stream'
import { AppError } from '../../../../shared/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelCallChange } from '../../../../shared/panel/panel.ts'
import { createDecoder } from '../../bridge/wire/body-decoder.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'
import type { PanelResponse } from '../call/types.ts'
import { createErrorResponse } from './fault-response.ts'
import { removeJsonValue, setJsonValue, type TextEditProblem } from '../../../../shared/json/text-edit.ts'

type OverrideChange = Extract<OverrideRule['answer'], { kind: 'change' }>['changes'][number]

/**
 * What one change of a rule did: the values at its pointer as JSON text, null where there is none,
 * or why it leads nowhere.
 */
interface AppliedChange {
  readonly at: string
  readonly from: string | null
  readonly to: string | null
  readonly problem: { readonly why: TextEditProblem; readonly at: string } | null
}

/**
 * Applies a rule's changes to the text of a JSON answer, in order. Whatever they do not touch stays
 * byte for byte. One that leads nowhere is left out and said; the others are applied. `text` must
 * be valid JSON.
 */
export function changed(
  text: string,
  changes: readonly OverrideChange[],
): { readonly text: string; readonly applied: readonly AppliedChange[] } {
  let now = text
  const applied = changes.map((change): AppliedChange => {
    const to = change.do === 'set' ? JSON.stringify(change.value) : null
    const edited = to === null ? removeJsonValue(now, change.at) : setJsonValue(now, change.at, to)
    if ('problem' in edited) {
      return { at: change.at, from: null, to, problem: { why: edited.problem, at: edited.reachedPointer } }
    }
    now = edited.text
    return { at: change.at, from: edited.before, to, problem: null }
  })
  return { text: now, applied }
}

type Change = Extract<OverrideRule['answer'], { kind: 'change' }>
type Answer = Extract<PanelResponse, { kind: 'answer' }>

/** Decoded bytes of an answer that is changed: it is held as a whole. */
const MAX_CHANGED_BYTES = 32 * 1024 * 1024
/** Characters of a value that are shown. */
const MAX_SHOWN_CHARS = 2_000

/** Headers that hold for the bytes as the host sent them. */
const ofBytes =
  /^(?:content-length|content-encoding|transfer-encoding|etag|content-md5|(?:content-|repr-)?digest|accept-ranges)$/i

/**
 * The host's own answer with a rule's changes. What cannot be changed (no JSON, a part of a body,
 * too long) is an answer 502 `OVERRIDE_FAILED` that says so, because an answer that looks as if the
 * rule held would mislead. A body that breaks off is `broken`.
 */
export async function applyRuleChanges(
  rule: OverrideRule,
  { changes }: Change,
  answer: PanelResponse,
  mostBytes = MAX_CHANGED_BYTES,
): Promise<PanelResponse> {
  if (answer.kind === 'broken') return answer
  const fail = (why: string): PanelResponse => {
    if (answer.body !== null && !Buffer.isBuffer(answer.body)) answer.body.destroy()
    return createErrorResponse(502, {
      code: 'OVERRIDE_FAILED',
      message: `The rule “${rule.name}” could not be applied: ${why}`,
    })
  }
  if (answer.status === 206) return fail('the answer is only a part of a body.')
  let bytes: Buffer | 'too long'
  try {
    bytes = await wholeBody(answer, mostBytes)
  } catch (error) {
    if (error instanceof AppError) return fail(error.message)
    return { kind: 'broken' }
  }
  if (bytes === 'too long') return fail(`the answer is longer than ${mostBytes} bytes.`)
  const { isValid: ok, text } = inspectJson(bytes)
  if (!ok) return fail('the answer is not JSON.')
  const result = changed(text, changes)
  return {
    kind: 'answer',
    status: answer.status,
    headers: answer.headers.filter(([name]) => !ofBytes.test(name)),
    body: Buffer.from(result.text),
    changes: [...(answer.changes ?? []), ...result.applied.filter(did).map(asGateChange)],
  }
}

/** Nothing happens where there is nothing to remove. */
const did = ({ from, to, problem }: AppliedChange): boolean => from !== null || to !== null || problem !== null

const asGateChange = ({ at, from, to, problem }: AppliedChange): PanelCallChange => ({
  where: 'answer',
  member: at,
  from: from && shown(from),
  to: to && shown(to),
  why: problem ? 'override-missed' : 'override',
})

const shown = (text: string): string => (text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text)

const headerOf = (headers: RawHeaders, name: string): string =>
  headers
    .find(([one]) => one.toLowerCase() === name)?.[1]
    .trim()
    .toLowerCase() ?? ''

/** The decoded bytes of a body. Throws `ENCODING_UNKNOWN`, and what the stream fails with. */
async function wholeBody({ headers, body }: Answer, mostBytes: number): Promise<Buffer | 'too long'> {
  if (body === null) return Buffer.alloc(0)
  const decoder = createDecoder(headerOf(headers, 'content-encoding'))
  if (Buffer.isBuffer(body) && decoder === null) return body.byteLength > mostBytes ? 'too long' : body
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
    if (size > mostBytes) return 'too long'
    pieces.push(bytes)
  }
  return Buffer.concat(pieces)
}
