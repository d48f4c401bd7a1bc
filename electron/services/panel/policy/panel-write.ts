import { fromWireError, type AppError } from '../../../../shared/errors.ts'
import type { CommandDraft, PreparedWrite } from '../../../../shared/operations/prepared-write.ts'
import type { Operation } from '../../../../shared/ipc/operations.ts'
import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import type { PanelCallChange, PendingPanelWrite, PanelWriteMode } from '../../../../shared/panel/panel.ts'
import { listPlaceholders, createTemplatePattern } from '../../../../shared/bridge/endpoints/path-template.ts'
import type { MaskedResponse } from '../../bridge/types.ts'
import type { AskQueue } from '../../ask-queue.ts'
import type { Operations } from '../../operations/operations.ts'
import type { Uploads } from '../../uploads/uploads.ts'
import { createErrorResponse } from '../call/response.ts'
import { toFailureReason, createNotSentOutcome, type CallOutcome, type AllowedCall } from './call-handler.ts'
import { filterResponseHeaders } from './call-headers.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { setMember } from '../../../../shared/json/text-edit.ts'

/** Writes of panels that wait for a person. */
export type PanelAskQueue = AskQueue<Pick<PendingPanelWrite, 'prepared' | 'changes'>>

interface WriteOptions {
  readonly operations: Pick<Operations, 'prepare' | 'send'>
  readonly asks: PanelAskQueue
  readonly uploads: Pick<Uploads, 'begin' | 'add' | 'drop'>
  /** The id that the host would write into `addon`. */
  readonly pluginId: () => string | null
}

/** Whose files they are, among those that wait to be sent. */
const CALLER = 'panel'

/**
 * Sends a write of the page through the one write gate, once it may be sent: shown, recorded,
 * followed like every other. Throws what `operations.prepare` and `Uploads.begin` throw, before
 * anything was sent.
 */
export async function passWrite(
  options: WriteOptions,
  passing: AllowedCall,
  how: PanelWriteMode,
): Promise<CallOutcome> {
  if (how === 'refuse') return refusal('writes-refused')
  const { draft, changes } = draftOf(passing, options.pluginId())
  if (draft === null) {
    const message = 'A parameter of the query is repeated. Nothing was sent.'
    return createNotSentOutcome(400, 'QUERY_REPEATED', message, createPanelCallReason('query-repeated'))
  }
  if (!passing.row.isUpload) return reviewed(options, passing, how, draft, changes)
  // The body is a file, and is kept as one until it has been sent.
  const { uploads } = options
  const bytes = passing.call.body ?? Buffer.alloc(0)
  const upload = uploads.begin(CALLER, bytes.byteLength)
  try {
    uploads.add(CALLER, upload, 0, bytes)
    return await reviewed(options, passing, how, { ...draft, upload }, changes)
  } finally {
    // Without effect on one that is being sent.
    uploads.drop(CALLER, upload)
  }
}

/**
 * What the gate's changes tell of a panel's write: these words are for those who write the body
 * themselves.
 */
const saidAsChange: ReadonlySet<string> = new Set(['confirm-ignored', 'addon-is-rewritten'])

async function reviewed(
  { operations, asks }: WriteOptions,
  passing: AllowedCall,
  how: PanelWriteMode,
  draft: CommandDraft,
  rewritten: readonly PanelCallChange[],
): Promise<CallOutcome> {
  const prepared = operations.prepare(draft)
  const changes = [...rewritten, ...confirmChange(passing, prepared.added)]
  if (how === 'ask') {
    const warnings = prepared.warnings.filter(({ code }) => !saidAsChange.has(code))
    const decided = await asks.waitForDecision({ prepared: { ...prepared, warnings }, changes }, passing.signal)
    if (decided !== 'send') return { ...refusal(reasonOf[decided]), changes }
  }
  return { ...(await send(operations, passing, prepared)), changes }
}

/**
 * The page gets the host's answer as soon as it is there; what follows a write goes on without the
 * page.
 */
async function send(
  operations: WriteOptions['operations'],
  { origin, rule }: AllowedCall,
  { ticket }: PreparedWrite,
): Promise<CallOutcome> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: MaskedResponse, operationId: string): void => resolve(answered(answer, operationId))
    operations
      .send(ticket, { origin, rule, onResponse: onAnswer })
      .then((operation) => resolve(unanswered(operation)), reject)
  })
}

const answered = ({ exchangeId, status, headers, bytes }: MaskedResponse, operationId: string): CallOutcome => ({
  response: { kind: 'answer', status, headers: fitting(headers), body: Buffer.from(bytes) },
  exchangeId,
  decision: 'passed',
  reason: createPanelCallReason('write-let-through'),
  operationId,
})

/** The bytes were decoded on their way: what described them as they travelled no longer holds. */
const fitting = (headers: MaskedResponse['headers']): MaskedResponse['headers'] =>
  filterResponseHeaders(headers).filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))

/**
 * No answer came, or none that could be read: the page sees a broken connection, and the record
 * knows more.
 */
function unanswered({ summary, events }: Operation): CallOutcome {
  const failure = events.find((event) => event.kind === 'failure')
  const error: AppError | null = failure ? fromWireError(failure.error) : null
  return {
    response: { kind: 'broken' },
    exchangeId: error?.wire.exchangeId ?? null,
    decision: 'passed',
    reason: error ? toFailureReason(error) : createPanelCallReason('no-answer'),
    operationId: summary.id,
  }
}

/** What the page is told of a write that was not sent. */
const refusals = {
  'writes-refused': 'Writes of the panel are refused. Nothing was sent.',
  'asks-full': 'Too many writes of the panel wait already. Nothing was sent.',
  'person-refused': 'The write was refused by the person who was asked.',
  'given-up': 'The call was given up before anybody decided on its write. Nothing was sent.',
} as const

const reasonOf = {
  refuse: 'person-refused',
  'refuse-unasked': 'writes-refused',
  gone: 'given-up',
  full: 'asks-full',
} as const satisfies Record<string, keyof typeof refusals>

const refusal = (code: keyof typeof refusals): CallOutcome => ({
  response: createErrorResponse(403, 'PANEL_WRITE_REFUSED', refusals[code]),
  exchangeId: null,
  decision: 'write-refused',
  reason: createPanelCallReason(code),
})

/** The write as the gate takes it; null for a query that says one thing twice. */
function draftOf(
  { call, path, row, connectedHost: here }: AllowedCall,
  pluginId: string | null,
): { draft: CommandDraft | null; changes: PanelCallChange[] } {
  const template = here.target.pathOverrides[row.id] ?? row.path
  const names = row.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const values = createTemplatePattern(template).exec(path.path)?.slice(1) ?? []
  const own = listPlaceholders(template)
  const params = Object.fromEntries(values.map((value, at) => [names[at] ?? own[at] ?? '', decodeURIComponent(value)]))
  const query = [...new URLSearchParams(path.query)]
  if (new Set(query.map(([name]) => name)).size < query.length) return { draft: null, changes: [] }
  const draft: CommandDraft = { endpoint: row.id, params, query: Object.fromEntries(query), caller: 'panel' }
  if (row.isUpload) return { draft, changes: [] }
  const { text, changes } = withAddon(call.body?.toString() ?? '', pluginId)
  return { draft: text === '' ? draft : { ...draft, bodyText: text }, changes }
}

/**
 * The body of a write with the `addon` that the page sent replaced by the id of the panel's plugin
 * (spec §4, §5.6), or taken out where nobody knows the id: the page's value never takes effect. A
 * body that is no JSON object stays as it is.
 */
function withAddon(text: string, pluginId: string | null): { text: string; changes: PanelCallChange[] } {
  const body = parsed(text)
  if (!isObject(body) || !Object.hasOwn(body, 'addon')) return { text, changes: [] }
  const from = shown(body['addon'])
  const change = { where: 'body', member: '/addon', from } as const
  const to = pluginId === null ? null : JSON.stringify(pluginId)
  return {
    text: setMember(text, 'addon', to),
    changes: [{ ...change, to, why: to === null ? 'addon-without-id' : 'addon-rewritten' }],
  }
}

/** What the write gate adds (spec §4): the host fills `confirm` itself, whatever the page sent. */
function confirmChange(
  { row, call, path }: Pick<AllowedCall, 'row' | 'call' | 'path'>,
  added: readonly string[],
): PanelCallChange[] {
  if (!added.includes('confirm')) return []
  if (row.confirm === 'query') {
    const from = new URLSearchParams(path.query).get('confirm')
    return from === '1' ? [] : [{ where: 'query', member: 'confirm', from, to: '1', why: 'confirm-filled' }]
  }
  const body = call.body === null ? null : parsed(call.body.toString())
  const from = isObject(body) && Object.hasOwn(body, 'confirm') ? shown(body['confirm']) : null
  return [{ where: 'body', member: '/confirm', from, to: 'true', why: 'confirm-filled' }]
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'null').slice(0, 2_000)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
