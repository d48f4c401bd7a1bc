import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { getEndpointById, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let given: Record<string, string> = {}

beforeAll(async () => {
  host = await startDemo()
  const { library } = host.host.state
  const [set] = library.sets
  given = {
    topicid: set?.topicid ?? '',
    noteid: set?.cards[2]?.noteid ?? '',
    bookmd5: set?.documents[0] ?? '',
    deckId: library.decks[0]?.deckId ?? '',
    bundleId: 'bundle-1',
    index: '1',
    snapshotId: library.sets[1]?.snapshots[0]?.snapshotId ?? '',
  }
})
afterAll(() => host.host.close())

/** Sends a body that has passed its gate. */
const ask = (id: string, body: object) => {
  const { parameters, confirm } = getEndpointById(id)
  const params = Object.fromEntries(
    parameters.filter((one) => one.in === 'path').map(({ name }) => [name, given[name] ?? '']),
  )
  return host.ask(id, { params, body: confirm === 'body' ? { ...body, confirm: true } : body })
}

/** What the user has, as text: whatever a write changes, this changes. */
const everything = (): string => {
  const { library, bundles, deletedStudySets: deleted, exports, openState: open } = host.host.state
  const held = [
    library.sets,
    library.decks,
    [...library.cards],
    [...library.books],
    [...deleted],
    bundles,
    exports,
    open,
  ]
  return JSON.stringify(held)
}

interface Shape {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
}

const shapeOf = ({ body }: Endpoint): Shape =>
  body === null ? {} : (z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Shape)

/**
 * Every member with a type, as it is named, with a body that holds nothing but this member in
 * another type.
 */
function wrongTypes(shape: Shape, name = '', wrap = (value: unknown): unknown => value): [string, object][] {
  const inner = Object.entries(shape.properties ?? {}).flatMap(([member, own]) =>
    member === 'confirm'
      ? []
      : wrongTypes(own, name === '' ? member : `${name}.${member}`, (value) => wrap({ [member]: value })),
  )
  const entries = shape.items ? wrongTypes(shape.items, `${name}[0]`, (value) => wrap([value])) : []
  const types = [shape.type ?? []].flat()
  if (name === '' || types.length === 0) return [...inner, ...entries]
  const wrong = [{ x: 1 }, 'x', [[]]].find((value) => !types.includes(Array.isArray(value) ? 'array' : typeof value))
  return [[name, wrap(wrong) as object], ...inner, ...entries]
}

// Pairing answers every failure alike (observed-0.49), and the channel's calls have errors of their
// own.
const writes = endpoints.filter(
  ({ access, body, id }) => access !== 'read' && body !== null && !['pair.post', 'mcp.post'].includes(id),
)
const required = writes.flatMap((row) => {
  const members = (shapeOf(row).required ?? []).filter((name) => name !== 'confirm')
  return members.length > 0 ? [[row.id, members] as const] : []
})
const mistyped = writes.flatMap((row) => wrongTypes(shapeOf(row)).map(([name, body]) => [row.id, name, body] as const))

describe('no write is done with a body that is not as documented', () => {
  test.each(required)('%s without a body names what is missing', async (id, members) => {
    const before = everything()
    const { status, json } = await ask(id, {})
    expect([status, json.error?.code, json['persisted']]).toEqual([422, 'BODY_INVALID', undefined])
    expect((json.error?.details as { missing: string[] }).missing).toEqual(expect.arrayContaining([...members]))
    expect(everything()).toBe(before)
  })

  test.each(mistyped)('%s names %s, which has another type: %j', async (id, name, body) => {
    const before = everything()
    const { status, json } = await ask(id, body)
    expect([status, json.error?.code, json['persisted']]).toEqual([422, 'BODY_INVALID', undefined])
    expect((json.error?.details as { wrong: string[] }).wrong).toContain(name)
    expect(everything()).toBe(before)
  })

  test.each<[string, object, string]>([
    ['notes.hashtags', { noteIds: [], operation: 'add', hashtags: ['#a'] }, 'noteIds'],
    ['notes.hashtags', { noteIds: ['N'], operation: 'add', hashtags: [] }, 'hashtags'],
    ['notes.hashtags', { noteIds: ['N'], operation: 'remove', hashtags: [] }, 'hashtags'],
    ['notes.metadata', { noteIds: [], patch: { colorIndex: 1 } }, 'noteIds'],
    ['notes.metadata', { noteIds: ['N'], patch: {} }, 'patch'],
    ['notes.fold', { noteIds: [], folded: true }, 'noteIds'],
    ['notes.move', { noteIds: [], targetParentNoteId: 'N' }, 'noteIds'],
    ['notes.move', { moves: [] }, 'moves'],
    ['notes.move', { moves: [{ noteIds: [], targetParentNoteId: 'N' }] }, 'moves[0].noteIds'],
    ['notes.copy', { noteIds: [], targetParentNoteId: 'N', mode: 'clone' }, 'noteIds'],
    ['notes.copy', { copies: [] }, 'copies'],
    ['notes.delete', { noteIds: [] }, 'noteIds'],
    ['decks.addCards', { cards: [] }, 'cards'],
    ['documents.toc', { entries: [] }, 'entries'],
    ['documents.export', { topicid: 'T', selectedPageNos: [] }, 'selectedPageNos'],
    ['bundles.prepare', { topicid: 'T', bookmd5: 'B', segments: [] }, 'segments'],
    ['uiState.apply', { state: {} }, 'state'],
  ])('%s %j asks for nothing, and names what is empty', async (id, body, name) => {
    const ids: Readonly<Record<string, string>> = {
      N: given['noteid'] ?? '',
      T: given['topicid'] ?? '',
      B: given['bookmd5'] ?? '',
    }
    const named = JSON.parse(
      JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? (ids[value] ?? value) : value)),
    ) as object
    const before = everything()
    const { status, json } = await ask(id, named)
    expect([status, json['persisted'], json['queued']]).toEqual([422, undefined, undefined])
    expect(JSON.stringify(json.error)).toContain(name)
    expect(everything()).toBe(before)
  })
})
