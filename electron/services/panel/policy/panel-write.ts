import { fromWireError, type AppError } from '../../../../shared/errors.ts'
import type { CommandDraft, PreparedWrite } from '../../../../shared/operations/prepared-write.ts'
import type { Operation } from '../../../../shared/ipc/operations.ts'
import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import type { PanelCallChange, PendingPanelWrite, PanelWriteMode } from '../../../../shared/panel/panel.ts'
import { listPlaceholders, matchPathTemplate } from '../../../../shared/bridge/endpoints/path-template.ts'
import type { MaskedResponse } from '../../bridge/types.ts'
import type { AskQueue } from '../../ask-queue.ts'
import type { Operations } from '../../operations/operations.ts'
import type { Uploads } from '../../uploads/uploads.ts'
import { getPanelCallFacts } from '../call/page-call.ts'
import { createErrorResponse } from '../call/response.ts'
import { toFailureReason, type AllowedCall } from './call-handler.ts'
import { createNotSentOutcome, type CallOutcome } from './call-outcome.ts'
import { filterResponseHeaders } from './call-headers.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { setMember } from '../../../core/json/text-edit.ts'

/** Panels' writes that wait for a user's decision. */
export type PanelAskQueue = AskQueue<Pick<PendingPanelWrite, 'prepared' | 'changes'>>

interface WriteOptions {
  readonly operations: Pick<Operations, 'prepare' | 'propose' | 'send'>
  readonly asks: PanelAskQueue
  readonly uploads: Pick<Uploads, 'begin' | 'add' | 'drop'>
  /** Returns the id that the host would set in `addon`; null if the id is unknown. */
  readonly getPluginId: () => string | null
}

/** The owner of uploads by this file, so that pages cannot drop them. */
const CALLER = 'panel'

/**
 * Sends a write of the page through services/operations, where the write is recorded and followed
 * like every write. In the mode `ask`, the write waits for a user's approval.
 * @throws what `operations.prepare` and `Uploads.begin` throw, before anything is sent
 */
export async function forwardPanelWrite(
  options: WriteOptions,
  allowedCall: AllowedCall,
  mode: PanelWriteMode,
): Promise<CallOutcome> {
  if (mode === 'refuse') return createRefusedOutcome('writes-refused')
  const { draft, changes } = toCommandDraft(allowedCall, options.getPluginId())
  if (draft === null) {
    const message = 'A parameter of the query is repeated. Nothing was sent.'
    return createNotSentOutcome(400, 'QUERY_REPEATED', message, createPanelCallReason('query-repeated'))
  }
  if (!allowedCall.row.isUpload) return sendAfterReview(options, allowedCall, mode, draft, changes)
  // For an endpoint with a file as body, `operations.prepare` accepts only an uploaded file.
  const { uploads } = options
  const bytes = allowedCall.call.body ?? Buffer.alloc(0)
  const upload = uploads.begin(CALLER, bytes.byteLength)
  try {
    uploads.add(CALLER, upload, 0, bytes)
    return await sendAfterReview(options, allowedCall, mode, { ...draft, upload }, changes)
  } finally {
    // A file that is being sent is not dropped.
    uploads.drop(CALLER, upload)
  }
}

/**
 * Warnings of a prepared write that are left out, because the list of changes contains the same
 * facts. The warnings are meant for users who write the body themselves.
 */
const REPORTED_CHANGE_CODES: ReadonlySet<string> = new Set(['confirm-ignored', 'addon-is-rewritten'])

async function sendAfterReview(
  { operations, asks }: WriteOptions,
  allowedCall: AllowedCall,
  mode: PanelWriteMode,
  draft: CommandDraft,
  draftChanges: readonly PanelCallChange[],
): Promise<CallOutcome> {
  const prepared = mode === 'ask' ? operations.propose(draft) : operations.prepare(draft)
  const changes = [...draftChanges, ...listConfirmChanges(allowedCall, prepared.added)]
  if (mode === 'ask') {
    const warnings = prepared.warnings.filter(({ code }) => !REPORTED_CHANGE_CODES.has(code))
    const decision = await asks.waitForDecision({ prepared: { ...prepared, warnings }, changes }, allowedCall.signal)
    if (decision !== 'send') return { ...createRefusedOutcome(REFUSAL_REASONS[decision]), changes }
  }
  return { ...(await sendWrite(operations, allowedCall, prepared)), changes }
}

/** Resolves when the host responds: the page should not wait for the end of the operation. */
async function sendWrite(
  operations: WriteOptions['operations'],
  { call, origin, rule, start }: AllowedCall,
  { ticket }: PreparedWrite,
): Promise<CallOutcome> {
  return new Promise((resolve, reject) => {
    const onResponse = (response: MaskedResponse, operationId: string): void =>
      resolve(toPassedOutcome(response, operationId))
    operations
      .send(ticket, { origin, rule, start, panelCall: getPanelCallFacts(call), onResponse })
      .then((operation) => resolve(toNoResponseOutcome(operation)), reject)
  })
}

const toPassedOutcome = ({ exchangeId, status, headers, bytes }: MaskedResponse, operationId: string): CallOutcome => ({
  response: { kind: 'answer', status, headers: filterDecodedHeaders(headers), body: Buffer.from(bytes) },
  exchangeId,
  decision: 'passed',
  reason: createPanelCallReason('write-let-through'),
  operationId,
})

/** Removes the headers that describe the encoded bytes, because the body is already decoded. */
const filterDecodedHeaders = (headers: MaskedResponse['headers']): MaskedResponse['headers'] =>
  filterResponseHeaders(headers).filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))

/** A broken connection, for want of a readable response; the record has the details. */
function toNoResponseOutcome({ summary, events }: Operation): CallOutcome {
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

/** Messages of the error responses to writes that were not sent. */
const REFUSAL_TEXTS = {
  'writes-refused': 'Writes of the panel are refused. Nothing was sent.',
  'asks-full': 'Too many writes of the panel wait already. Nothing was sent.',
  'person-refused': 'The write was refused by the person who was asked.',
  'given-up': 'The call was given up before anybody decided on its write. Nothing was sent.',
} as const

const REFUSAL_REASONS = {
  refuse: 'person-refused',
  'refuse-unasked': 'writes-refused',
  gone: 'given-up',
  full: 'asks-full',
} as const satisfies Record<string, keyof typeof REFUSAL_TEXTS>

const createRefusedOutcome = (code: keyof typeof REFUSAL_TEXTS): CallOutcome => ({
  response: createErrorResponse(403, 'PANEL_WRITE_REFUSED', REFUSAL_TEXTS[code]),
  exchangeId: null,
  decision: 'write-refused',
  reason: createPanelCallReason(code),
})

/** Converts a call to a draft for `operations.prepare`; null if the query repeats a parameter. */
function toCommandDraft(
  { call, path, row, connectedHost }: AllowedCall,
  pluginId: string | null,
): { draft: CommandDraft | null; changes: PanelCallChange[] } {
  const template = connectedHost.target.pathOverrides[row.id] ?? row.path
  const names = row.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const values = matchPathTemplate(template, path.path) ?? []
  const placeholders = listPlaceholders(template)
  const params = Object.fromEntries(
    values.map((value, index) => [names[index] ?? placeholders[index] ?? '', decodeURIComponent(value)]),
  )
  const query = [...new URLSearchParams(path.query)]
  if (new Set(query.map(([name]) => name)).size < query.length) return { draft: null, changes: [] }
  const draft: CommandDraft = { endpoint: row.id, params, query: Object.fromEntries(query), caller: 'panel' }
  if (row.isUpload) return { draft, changes: [] }
  const { text, changes } = replaceAddon(call.body?.toString() ?? '', pluginId)
  return { draft: text === '' ? draft : { ...draft, bodyText: text }, changes }
}

/**
 * Replaces the `addon` that the page sent by the id of the panel's plugin, or removes the member if
 * the id is unknown, so that the page's value never takes effect. A body that is not a JSON object
 * stays as it is.
 * @see spec §4, §5.6
 */
function replaceAddon(text: string, pluginId: string | null): { text: string; changes: PanelCallChange[] } {
  const body = tryParse(text)
  if (!isObject(body) || !Object.hasOwn(body, 'addon')) return { text, changes: [] }
  const from = formatValue(body['addon'])
  const change = { where: 'body', member: '/addon', from } as const
  const to = pluginId === null ? null : JSON.stringify(pluginId)
  return {
    text: setMember(text, 'addon', to),
    changes: [{ ...change, to, why: to === null ? 'addon-without-id' : 'addon-rewritten' }],
  }
}

/** A host sets `confirm` itself, whatever the page sent. @see spec §4 */
function listConfirmChanges(
  { row, call, path }: Pick<AllowedCall, 'row' | 'call' | 'path'>,
  added: readonly string[],
): PanelCallChange[] {
  if (!added.includes('confirm')) return []
  if (row.confirm === 'query') {
    const from = new URLSearchParams(path.query).get('confirm')
    return from === '1' ? [] : [{ where: 'query', member: 'confirm', from, to: '1', why: 'confirm-filled' }]
  }
  const body = call.body === null ? null : tryParse(call.body.toString())
  const from = isObject(body) && Object.hasOwn(body, 'confirm') ? formatValue(body['confirm']) : null
  return [{ where: 'body', member: '/confirm', from, to: 'true', why: 'confirm-filled' }]
}

const formatValue = (value: unknown): string => (JSON.stringify(value) ?? 'null').slice(0, 2_000)

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
