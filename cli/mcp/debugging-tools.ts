import { z } from 'zod'
import { createAppCalls } from '../../electron/services/agents/client.ts'
import type { AgentCallFunction } from '../../electron/core/agent-socket.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import type { LocatedFinding } from '../../shared/protocol/finding.ts'
import { operationStates } from '../../shared/operations/operation-events.ts'
import type { RecordedWrite } from '../../shared/snapshots/cause.ts'
import type { SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import { findInitiatorPlace, formatInitiatorPlace } from '../../shared/traffic/call-initiator.ts'
import { exchangeStates, originKinds } from '../../shared/traffic/exchange.ts'
import { describeFinding } from '../../electron/core/protocol/described-finding.ts'
import { statusClasses } from '../../shared/traffic/traffic-filter.ts'
import { compareExchanges, readExchange } from './recorded-exchange.ts'
import { defineTool, type Tool, type ToolContext } from './tools.ts'

/** Number of findings in which a rule or an origin is searched. */
const MAX_FINDINGS = 1_000

const limitSchema = z.int().min(1).max(200).optional().describe('50 if it is left out')
const offsetSchema = z.int().min(0).optional().describe('How many to leave out, for the next page')
const seqSchema = z.int().min(1).describe('seq of exchanges_search or of a finding')

/**
 * Connects to the running app, which records the requests of panels and clients, or shows a
 * recording of them. If no app runs with this data directory, uses this session, which has
 * recorded its own exchanges. All calls of one tool go to the same source.
 */
async function connectSource({ session, signal }: ToolContext): Promise<{ source: string; call: AgentCallFunction }> {
  const { dataDir } = await session.call('app.info', {})
  const call = createAppCalls({ dataDir, signal })
  try {
    const { recording } = await readSource(call)
    const source =
      recording === null ? 'the running app' : `the recording that is open in the running app: ${recording.title}`
    return { source, call }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'APP_NOT_RUNNING') throw error
    await readSource(session.call)
    return { source: 'this session only, because the app is not running', call: session.call }
  }
}

/** The thread of traffic has then judged what it was sent before. */
async function readSource(call: AgentCallFunction): Promise<IpcOutput<'app.info'>> {
  const [info] = await Promise.all([call('app.info', {}), call('traffic.info', {})])
  return info
}

const listFindings = defineTool({
  name: 'findings_list',
  description:
    'What panels and clients did against the contract, newest first, one row for each rule and resource: severity, count, origins, values, seq of the exchanges that show it, and the line of the panel’s code. Advice, about what the contract leaves open, is listed by itself',
  output: '{source, total, complete, findings: [...], advice: [...]}',
  input: z.strictObject({
    rule: z.string().max(100).optional().describe('Id of a rule, as in a finding'),
    origin: z.enum(originKinds).optional().describe('Who asked'),
    label: z.string().max(200).optional().describe('Name of the panel or client'),
    limit: limitSchema,
    offset: offsetSchema,
  }),
  async run(context, { rule, origin, label, limit = 50, offset = 0 }) {
    const { source, call } = await connectSource(context)
    const isSelected = (row: LocatedFinding): boolean =>
      (rule === undefined || row.rule === rule) &&
      row.origins.some(
        (rowOrigin) =>
          (origin === undefined || rowOrigin.kind === origin) && (label === undefined || rowOrigin.label === label),
      )
    const range = { offset: 0, limit: MAX_FINDINGS }
    const { findings, total } = await call('findings.list', { ...range, class: 'findings' })
    const { findings: advice } = await call('findings.list', { ...range, class: 'advice' })
    const matchingRows = findings.filter(isSelected)
    const value = {
      source,
      total: matchingRows.length,
      // False if older findings were not searched.
      complete: findings.length >= total,
      findings: matchingRows.slice(offset, offset + limit).map(describeFinding),
      advice: advice.filter(isSelected).slice(0, limit).map(describeFinding),
    }
    return context.responses.createResult('findings', JSON.stringify(value), { list: '/findings' })
  },
})

const searchExchanges = defineTool({
  name: 'exchanges_search',
  description: 'Requests to the host and its answers that were recorded, newest first',
  output: '{source, rows: [...], total, incomplete}',
  input: z.strictObject({
    text: z.string().max(400).optional().describe('Part of method, path or error code'),
    inBodies: z.boolean().optional().describe('text may also be in a body or header'),
    id: z.string().max(400).optional().describe('An id that it names anywhere'),
    methods: z.array(z.string().max(20)).max(20).optional().describe('Such as GET'),
    statuses: z.array(z.enum(statusClasses)).optional().describe('First digit'),
    states: z.array(z.enum(exchangeStates)).optional().describe('How it ended'),
    origins: z.array(z.enum(originKinds)).optional().describe('Who asked'),
    from: z.number().optional().describe('Milliseconds since 1970'),
    to: z.number().optional().describe('Milliseconds since 1970'),
    slowerThanMs: z.number().min(0).optional().describe('Took longer than this'),
    limit: limitSchema,
    offset: offsetSchema,
  }),
  async run(context, { limit = 50, offset = 0, ...filter }) {
    const { source, call } = await connectSource(context)
    const sort = { by: 'time', descending: true } as const
    const { bytes, meta } = await call('traffic.find', { filter, sort })
    const seqs = [...new Uint32Array(bytes).subarray(offset, offset + limit)]
    const { rows } = await call('traffic.rows', { seqs })
    const page = { source, rows, total: meta.total, incomplete: meta.incomplete }
    return context.responses.createResult('exchanges', JSON.stringify(page), { list: '/rows' })
  },
})

const getExchange = defineTool({
  name: 'exchange_get',
  description: 'One exchange: headers, times, findings, and both bodies as far as they are kept',
  output: '{source, row, requestHeaders, responseHeaders, findings, requestBody, responseBody, …}',
  input: z.strictObject({ seq: seqSchema }),
  async run(context, { seq }) {
    const { source, call } = await connectSource(context)
    const { detail, request, response } = await readExchange(call, seq)
    const { findings } = await call('findings.of', { seq })
    const text = `${JSON.stringify({ source, ...detail, findings }).slice(0, -1)},"requestBody":${request.json},"responseBody":${response.json}}`
    return context.responses.createResult(`exchange ${seq}`, text)
  },
})

const compareExchangesTool = defineTool({
  name: 'exchanges_compare',
  description: 'What differs between two exchanges: request, status, headers, and their bodies by JSON pointer',
  output: '{source, before, after, and what differs}',
  input: z.strictObject({ before: seqSchema, after: seqSchema }),
  async run(context, input) {
    const { source, call } = await connectSource(context)
    const [before, after] = await Promise.all([readExchange(call, input.before), readExchange(call, input.after)])
    const value = { source, ...input, ...compareExchanges(before, after) }
    return context.responses.createResult('comparison', JSON.stringify(value))
  },
})

const listOperations = defineTool({
  name: 'operations_list',
  description: 'Records of writes, newest first: state, outcome, verdict. A pending one is not done',
  output: '{source, items: [...], total}',
  input: z.strictObject({
    state: z.enum(operationStates).optional().describe('How far it came'),
    unfinished: z.boolean().optional().describe('Only those whose end is open'),
    text: z.string().max(200).optional().describe('Part of a request id, card id or record id'),
    limit: limitSchema,
    offset: offsetSchema,
  }),
  async run(context, { limit = 50, offset = 0, ...filter }) {
    const { source, call } = await connectSource(context)
    const page = await call('operations.list', { ...filter, limit, offset })
    return context.responses.createResult('operations', JSON.stringify({ source, ...page }), { list: '/items' })
  },
})

const getOperation = defineTool({
  name: 'operation_get',
  description: 'One record of a write, with everything that was seen of it',
  output: '{source, summary, events: [...]}',
  input: z.strictObject({ id: z.string().min(1).max(100).describe('From operations_list') }),
  async run(context, { id }) {
    const { source, call } = await connectSource(context)
    const record = await call('operations.get', { id })
    return context.responses.createResult(`operation ${id}`, JSON.stringify({ source, ...record }))
  },
})

/**
 * Chooses the newest whole snapshot of a study set, and the last one until a time. `before` is
 * undefined if none is as old; `oldest` is then what is known.
 * @throws SNAPSHOT_UNKNOWN if none is kept
 */
function chooseSnapshots(snapshots: readonly SnapshotInfo[], since: number | undefined) {
  const wholeSnapshots = snapshots.filter(({ gaps }) => gaps.length === 0)
  const choices = wholeSnapshots.length > 0 ? wholeSnapshots : snapshots
  const [after] = choices
  if (!after)
    throw createRefusedError(
      'SNAPSHOT_UNKNOWN',
      'No snapshot of this study set is kept. The running app keeps one of each card listing that it reads, for example when the study set is opened.',
    )
  // The same study set on another host is not an earlier state of this one.
  const states = choices.filter(({ host }) => host === after.host)
  const before = since === undefined ? states[1] : states.find(({ endedAt }) => endedAt <= since)
  return { before, oldest: states.at(-1) ?? after, after }
}

/** Adds by what the record of a call is found, and the line of a panel that made the call. */
async function withRecord(call: AgentCallFunction, write: RecordedWrite): Promise<unknown> {
  const { exchangeId } = write
  if (exchangeId === null) return write
  const detail = await call('traffic.exchange', { id: exchangeId }).catch(() => null)
  const place = detail?.initiator ? findInitiatorPlace(detail.initiator) : null
  return { ...write, seq: detail?.row.seq ?? null, line: place && formatInitiatorPlace({ ...place, column: null }) }
}

const listChanges = defineTool({
  name: 'changes_list',
  description:
    'Cards of a study set that changed between two snapshots, each with the recorded call that did it; nobody: no recorded call did. Snapshots are complete card listings that the app has read, so nothing is asked of the host: before and after tell their times. coversSince is false if there is none as old as since, readSince if there is none as new. partly: the call explains only a part of the change. palette lists color levels that differ. Needs the running app: this session keeps no snapshots',
  output: '{source, before, after, rows: [...], palette, coversSince, readSince}',
  input: z.strictObject({
    topicid: z.string().min(1).max(500).describe('From studySets_list'),
    since: z.number().optional().describe('Milliseconds since 1970; without it, since the last snapshot but one'),
    limit: limitSchema,
    offset: offsetSchema,
  }),
  async run(context, { topicid, since, limit = 50, offset = 0 }) {
    const { source, call } = await connectSource(context)
    const { snapshots } = await call('snapshots.list', { topicid })
    const { before, oldest, after } = chooseSnapshots(snapshots, since)
    const pair = { topicid, before: (before ?? oldest).id, after: after.id }
    const { rows, ...comparison } = await call('snapshots.compare', { ...pair, layout: 'list', offset, limit })
    const describedRows: unknown[] = []
    for (const row of rows) {
      if (row.row !== 'change') continue
      const writes: unknown[] = []
      for (const write of row.cause.writes) writes.push(await withRecord(call, write))
      describedRows.push({ ...row, cause: { ...row.cause, writes } })
    }
    const value = {
      source,
      ...comparison,
      // Without a snapshot before, changes are those since the oldest; without one after, unknown.
      coversSince: before !== undefined,
      readSince: since === undefined || after.seenAt >= since,
      rows: describedRows,
    }
    return context.responses.createResult('changes', JSON.stringify(value), { list: '/rows' })
  },
})

const readResponsePart = defineTool({
  name: 'answer_read',
  description:
    'The rest of a long answer: with the cursor of a page its next page, with a JSON pointer what is there. Nothing is asked of the host',
  output: 'The value at pointer, or the next page',
  input: z.strictObject({
    answer: z.string().max(100).describe('"answer" of the result that was not whole'),
    cursor: z.string().max(4_000).optional().describe('Of the previous page'),
    pointer: z.string().max(4_000).optional().describe('JSON pointer (RFC 6901)'),
  }),
  run: async ({ responses }, { answer, cursor, pointer }) => {
    if (cursor !== undefined && pointer !== undefined) {
      throw createRefusedError(
        'ARGUMENTS_INVALID',
        'Pass either cursor or pointer: a cursor contains its own position.',
      )
    }
    return responses.readPart(answer, { cursor, pointer })
  },
})

/** Tools to find out why a panel or client misbehaves; the last returns the rest of responses. */
export const debuggingTools: readonly Tool[] = [
  listFindings,
  searchExchanges,
  getExchange,
  compareExchangesTool,
  listOperations,
  getOperation,
  listChanges,
  readResponsePart,
]
