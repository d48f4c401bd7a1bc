import { z } from 'zod'
import { queryApp } from '../../electron/services/agents/client.ts'
import { runAgentQuery, type QuerySource } from '../../electron/core/agent-socket.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import type { FindingClass, LocatedFinding } from '../../shared/protocol/finding.ts'
import { operationStates } from '../../shared/operations/operation-events.ts'
import { exchangeStates, originKinds } from '../../shared/traffic/exchange.ts'
import { describeFinding } from '../../electron/core/protocol/described-finding.ts'
import { statusClasses } from '../../shared/traffic/traffic-filter.ts'
import { compareExchanges, readExchange, type QueryFunction } from './recorded-exchange.ts'
import { defineTool, type Tool, type ToolContext } from './tools.ts'

/** Number of findings in which a rule or an origin is searched. */
const MAX_FINDINGS = 1_000

const limitSchema = z.int().min(1).max(200).optional().describe('50 if it is left out')
const offsetSchema = z.int().min(0).optional().describe('How many to leave out, for the next page')
const seqSchema = z.int().min(1).describe('seq of exchanges_search or of a finding')

/**
 * Connects to the running app, which records the requests of panels and clients, or shows a
 * recording of them. If no app runs with this data directory, uses this session, which has
 * recorded its own exchanges. All queries of one call go to the same source.
 */
async function connectSource({ session, signal }: ToolContext): Promise<{ source: string; ask: QueryFunction }> {
  const { dataDir } = await session.call('app.info', {})
  try {
    const { recording } = (await queryApp({ ask: 'source' }, { dataDir, signal })) as QuerySource
    const source =
      recording === null ? 'the running app' : `the recording that is open in the running app: ${recording}`
    return { source, ask: (query) => queryApp(query, { dataDir, signal }) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'APP_NOT_RUNNING') throw error
    const ask: QueryFunction = (query) =>
      runAgentQuery(session.call, query, (bytes) => Buffer.from(bytes).toString('base64'))
    return { source: 'this session only, because the app is not running', ask }
  }
}

async function readFindings(
  ask: QueryFunction,
  listedClass: FindingClass,
): Promise<{ rows: LocatedFinding[]; total: number }> {
  const rows: LocatedFinding[] = []
  let total = 0
  do {
    const query = { ask: 'findings', offset: rows.length, limit: 200, class: listedClass } as const
    const page = (await ask(query)) as IpcOutput<'findings.list'>
    total = page.total
    rows.push(...page.findings)
    if (page.findings.length === 0) break
  } while (rows.length < Math.min(total, MAX_FINDINGS))
  return { rows, total }
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
    const { source, ask } = await connectSource(context)
    const isSelected = (row: LocatedFinding): boolean =>
      (rule === undefined || row.rule === rule) &&
      row.origins.some(
        (rowOrigin) =>
          (origin === undefined || rowOrigin.kind === origin) && (label === undefined || rowOrigin.label === label),
      )
    const [findings, advice] = [await readFindings(ask, 'findings'), await readFindings(ask, 'advice')]
    const matchingRows = findings.rows.filter(isSelected)
    const value = {
      source,
      total: matchingRows.length,
      // False if older findings were not searched.
      complete: findings.rows.length >= findings.total,
      findings: matchingRows.slice(offset, offset + limit).map(describeFinding),
      advice: advice.rows.filter(isSelected).slice(0, limit).map(describeFinding),
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
    const { source, ask } = await connectSource(context)
    const definedFilter = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
    const page = (await ask({ ask: 'exchanges', filter: definedFilter, offset, limit })) as object
    return context.responses.createResult('exchanges', JSON.stringify({ source, ...page }), { list: '/rows' })
  },
})

const getExchange = defineTool({
  name: 'exchange_get',
  description: 'One exchange: headers, times, findings, and both bodies as far as they are kept',
  output: '{source, row, requestHeaders, responseHeaders, findings, requestBody, responseBody, …}',
  input: z.strictObject({ seq: seqSchema }),
  async run(context, { seq }) {
    const { source, ask } = await connectSource(context)
    const { detail, request, response } = await readExchange(ask, seq)
    const text = `${JSON.stringify({ source, ...detail }).slice(0, -1)},"requestBody":${request.json},"responseBody":${response.json}}`
    return context.responses.createResult(`exchange ${seq}`, text)
  },
})

const compareExchangesTool = defineTool({
  name: 'exchanges_compare',
  description: 'What differs between two exchanges: request, status, headers, and their bodies by JSON pointer',
  output: '{source, before, after, and what differs}',
  input: z.strictObject({ before: seqSchema, after: seqSchema }),
  async run(context, input) {
    const { source, ask } = await connectSource(context)
    const [before, after] = await Promise.all([readExchange(ask, input.before), readExchange(ask, input.after)])
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
  async run(context, { limit = 50, offset = 0, state, unfinished, text }) {
    const { source, ask } = await connectSource(context)
    const filter = {
      ...(state === undefined ? {} : { state }),
      ...(unfinished === undefined ? {} : { unfinished }),
      ...(text === undefined ? {} : { text }),
    }
    const page = (await ask({ ask: 'operations', filter: { ...filter, limit, offset } })) as object
    return context.responses.createResult('operations', JSON.stringify({ source, ...page }), { list: '/items' })
  },
})

const getOperation = defineTool({
  name: 'operation_get',
  description: 'One record of a write, with everything that was seen of it',
  output: '{source, summary, events: [...]}',
  input: z.strictObject({ id: z.string().min(1).max(100).describe('From operations_list') }),
  async run(context, { id }) {
    const { source, ask } = await connectSource(context)
    const record = (await ask({ ask: 'operation', id })) as object
    return context.responses.createResult(`operation ${id}`, JSON.stringify({ source, ...record }))
  },
})

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
    const { source, ask } = await connectSource(context)
    const range = { ...(since === undefined ? {} : { since }), offset, limit }
    const comparison = (await ask({ ask: 'changes', topicid, ...range })) as object
    return context.responses.createResult('changes', JSON.stringify({ source, ...comparison }), { list: '/rows' })
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
