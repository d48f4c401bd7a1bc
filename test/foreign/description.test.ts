import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '../../shared/bridge/endpoints/endpoint.ts'
import { endpoints } from '../../shared/bridge/endpoints/index.ts'
import { createFormFields } from '../../renderer/model/forms/form-fields.ts'
import { startDemo, type DemoRequest, type DemoConnection } from '../support/hosts/demo.ts'
import { described, type Described } from './description.ts'
import { figure } from './figures.ts'

const routes = described()
const nameless = (text: string): string => text.replace(/\{[^}]*\}/g, '{}')
function rowOf({ method, path }: Described): Endpoint {
  const row = endpoints.find((endpoint) => endpoint.method === method && nameless(endpoint.path) === path)
  if (!row) throw new Error(`${method} ${path} has no row`)
  return row
}
const rows = routes.map((route) => ({ ...route, id: rowOf(route).id, row: rowOf(route) }))

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Lists the names of all members of a body, nested ones included. */
function membersOf({ body }: Endpoint): ReadonlySet<string> {
  const names = new Set<string>()
  const walk = (schema: Schema): void => {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      names.add(name)
      walk(member)
    }
    for (const schemaPart of [schema.items, ...(schema.anyOf ?? [])]) if (schemaPart) walk(schemaPart)
  }
  if (body) walk(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema)
  return names
}

/** Collects the names of all members of a response, nested ones included. */
function namesIn(value: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const element of value) namesIn(element, names)
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) namesIn(member, names.add(name))
  return names
}

/** Members that the description leaves to JSON-RPC. */
const beyond: Readonly<Record<string, readonly string[]>> = { 'mcp.post': ['jsonrpc', 'params'] }
/** Members of a response that exist only in some states, such as after a failed job. */
const sometimes: Readonly<Record<string, readonly string[]>> = {
  'context.get': ['reason'],
  'studySets.addDocuments': ['becameMainDocument', 'alreadyPresent'],
  'bundles.list': ['error', 'progress', 'pagesDone', 'pagesTotal', 'rootNoteId'],
  'bundles.submit': ['excerptStatsTruncated', 'noteid', 'excerpt', 'reason'],
}

const counted = { routes: rows.length, 'members of bodies': 0, 'members of queries': 0, 'fields of forms': 0 }
const counts = { 'bodies that the demo host accepts': 0, 'members of answers that it returns': 0 }
afterAll(() => figure('description', { ...counted, ...counts }))

describe('the public description of the host', () => {
  test('has 72 routes, many with members', () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(72)
    expect(rows.flatMap(({ body }) => body).length).toBeGreaterThan(60)
    expect(rows.find(({ id }) => id === 'notes.title')?.body).toEqual(['text', 'expectedPrefix', 'markdown'])
  })

  test.each(rows)('$id: the form offers every described member and invents none', ({ row, body, query, text }) => {
    const members = membersOf(row)
    expect(body.filter((name) => !members.has(name))).toEqual([])
    const parameters = row.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    expect(query.filter((name) => !parameters.includes(name))).toEqual([])
    const fields = createFormFields(row).filter((field) => field.in !== 'path' && !field.isGuessed)
    const invented = fields.filter(({ name }) => name.split('.').some((part) => !text.includes(part)))
    expect(invented.map(({ name }) => name)).toEqual(beyond[row.id] ?? [])
    counted['members of bodies'] += body.length
    counted['members of queries'] += query.length
    counted['fields of forms'] += fields.length
  })
})

describe('the demo host compared with the public description', () => {
  let host: DemoConnection
  let examples: Readonly<Record<string, DemoRequest>>
  beforeAll(async () => {
    host = await startDemo()
    examples = await examplesOf(host)
  })
  afterAll(() => host.host.close())

  test.each(rows.filter(({ row }) => row.confirm === 'body'))(
    '$id accepts the described body and refuses any other member',
    async (entry) => {
      const { row, body } = entry
      const example = examples[row.id] ?? {}
      // Without `confirm` the host executes nothing.
      expect((await host.ask(row.id, example)).json.error?.code).toBe('CONFIRM_REQUIRED')
      const requestBody = typeof example.body === 'object' && example.body !== null ? example.body : {}
      expect(Object.keys(requestBody).filter((name) => !body.includes(name))).toEqual([])
      const more = await host.ask(row.id, {
        ...example,
        body: { ...requestBody, notInTheDescription: 1, confirm: true },
      })
      expect([more.status, JSON.stringify(more.json)]).toEqual([422, expect.stringContaining('notInTheDescription')])
      counts['bodies that the demo host accepts'] += 1
    },
  )

  test.each(rows.filter(({ answer, row }) => answer.length > 0 && row.response.kind === 'json'))(
    '$id returns the described members',
    async ({ id, row, answer }) => {
      const example = examples[id] ?? {}
      const requestBody = typeof example.body === 'object' && example.body !== null ? example.body : {}
      const body = row.confirm === 'body' ? { body: { ...requestBody, confirm: true } } : {}
      const { status, json } = await host.ask(id, { ...example, ...body })
      expect([status, json.error]).toEqual([200, undefined])
      const members = namesIn(json)
      const expected = answer.filter((name) => !(sometimes[id] ?? []).includes(name))
      expect(expected.filter((name) => !members.has(name))).toEqual([])
      counts['members of answers that it returns'] += expected.length
    },
  )
})

/** A request for each route, written from the description, with ids of the demo library. */
async function examplesOf({ host, ask }: DemoConnection): Promise<Readonly<Record<string, DemoRequest>>> {
  const { library } = host.state
  const [set, second, , , other] = library.sets
  const card = set?.cards[5]?.noteid ?? ''
  const target = { noteIds: [set?.cards[6]?.noteid ?? ''], targetParentNoteId: set?.cards[0]?.noteid ?? '' }
  const parent = set?.cards.find(({ noteid }) => set.cards.some((child) => child.parent === noteid))?.noteid ?? ''
  const params = { topicid: set?.topicid ?? '', bookmd5: set?.documents[0] ?? '', noteid: card, index: '1' }
  const free = [...library.books.keys()].find((bookId) => !set?.documents.includes(bookId)) ?? ''
  const image = [...library.cards.values()].find(({ parts }) => parts.some(({ kind }) => kind === 'image'))
  const masks = {
    coordinateSpace: 'normalized',
    operation: 'add',
    masks: [{ rect: { x: 0, y: 0, width: 0.5, height: 0.5 } }],
  }
  const occlusion = { params: { noteid: image?.noteid ?? '' }, body: masks }
  const { details } = (await ask('notes.imageOcclusions', occlusion)).json.error ?? {}
  const { sourceFingerprint } = (details ?? {}) as { sourceFingerprint?: string }
  const on = (id: Readonly<Record<string, string>>, body: unknown): DemoRequest => ({ params: id, body })
  const { topicid, bookmd5, noteid } = params
  const deckId = library.decks[0]?.deckId ?? ''
  const upload = await ask('library.upload', { query: { filename: 'b.txt', confirm: 1 }, body: 'a file' })
  const added = [...library.books.values()].find(({ title }) => title === 'b.txt')
  if (upload.status !== 200 || !added) throw new Error('the upload failed')
  const comment = { noteid, index: '1' }
  return {
    'studySets.create': on({}, { title: 'New' }),
    'library.upload': { query: { filename: 'a.txt', topicid, confirm: 1 }, body: 'a file' },
    'library.deleteDocument': on({ bookmd5: added.bookmd5 }, {}),
    'studySets.addDocuments': on({ topicid }, { bookmd5: free }),
    'studySets.removeDocument': on({ topicid, bookmd5 }, {}),
    'studySets.createSnapshot': on({ topicid }, { description: 'Before' }),
    'studySets.delete': on({ topicid: other?.topicid ?? '' }, { expectedTitle: other?.title }),
    'studySets.printPreview': on({ topicid }, { mode: 'classic' }),
    'documents.toc': on({ bookmd5: free }, { entries: [{ title: 'One', page: 1, level: 0 }] }),
    'documents.locate': on({ bookmd5 }, { text: 'a', page: 1 }),
    'notes.batchGet': on({}, { noteIds: [noteid] }),
    'notes.hashtags': on({}, { noteIds: [noteid], operation: 'add', hashtags: ['#subject/chapter/term'] }),
    'notes.metadata': on({}, { noteIds: [noteid], patch: { colorIndex: 11 } }),
    'notes.move': on({}, target),
    'notes.copy': on({}, { ...target, mode: 'clone' }),
    'notes.delete': on({}, { noteIds: [set?.cards[7]?.noteid] }),
    'notes.fold': on({}, { noteIds: [parent, noteid], folded: true }),
    'notes.imageOcclusions': on(
      { noteid: image?.noteid ?? '' },
      { ...masks, expectedSourceFingerprint: sourceFingerprint },
    ),
    'notes.title': on({ noteid }, { text: 'T' }),
    'notes.text': on({ noteid }, { text: 'T' }),
    'notes.comments': on({ noteid }, { text: 'marginnote4app://note/x' }),
    'notes.comment': on(comment, { text: 'T', expectedPrefix: '' }),
    'notes.deleteComment': on(comment, { expectedPrefix: '' }),
    'notes.mergeBranch': on({ noteid: parent }, {}),
    'notes.foldIntoSubMap': on({ noteid: parent }, {}),
    'decks.create': on({}, { title: 'New' }),
    'decks.addCards': on({ deckId }, { cards: [{ sourceNoteId: noteid, question: 'What is {{this}}?' }] }),
    'decks.cards': { params: { deckId } },
    'bundles.submit': on({ bundleId: 'bundle-1' }, { withBlank: true }),
    'snapshots.restore': on({ snapshotId: second?.snapshots[0]?.snapshotId ?? '' }, {}),
    'sync.recheck': on({}, { database: true }),
    'uiState.apply': on({}, { state: { topicid, theme: 'dark' } }),
  }
}
