/** @module-tag slow */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { getEndpointById, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let pathValues: Record<string, string> = {}

beforeAll(async () => {
  host = await startDemo()
  const { library } = host.host.state
  const [set] = library.sets
  pathValues = {
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

/** Sends a body, confirmed if the row requires it. */
const askConfirmed = (id: string, body: object) => {
  const { parameters, confirm } = getEndpointById(id)
  const params = Object.fromEntries(
    parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => [name, pathValues[name] ?? '']),
  )
  return host.ask(id, { params, body: confirm === 'body' ? { ...body, confirm: true } : body })
}

/** Serializes all data of the user, so that any effect of a write changes the text. */
const serializeState = (): string => {
  const { library, bundles, deletedStudySets: deleted, exports, openState: open } = host.host.state
  const data = [
    library.sets,
    library.decks,
    [...library.cards],
    [...library.books],
    [...deleted],
    bundles,
    exports,
    open,
  ]
  return JSON.stringify(data)
}

interface BodyShape {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, BodyShape>>
  readonly required?: readonly string[]
  readonly items?: BodyShape
}

const getBodyShape = ({ body }: Endpoint): BodyShape =>
  body === null ? {} : (z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as BodyShape)

/**
 * Returns every typed member of a body with its name, and a body that has only this member
 * with a value of another type.
 */
function buildMistypedBodies(
  shape: BodyShape,
  name = '',
  wrap = (value: unknown): unknown => value,
): [string, object][] {
  const memberBodies = Object.entries(shape.properties ?? {}).flatMap(([member, memberShape]) =>
    member === 'confirm'
      ? []
      : buildMistypedBodies(memberShape, name === '' ? member : `${name}.${member}`, (value) =>
          wrap({ [member]: value }),
        ),
  )
  const entryBodies = shape.items ? buildMistypedBodies(shape.items, `${name}[0]`, (value) => wrap([value])) : []
  const types = [shape.type ?? []].flat()
  if (name === '' || types.length === 0) return [...memberBodies, ...entryBodies]
  const wrongValue = [{ x: 1 }, 'x', [[]]].find(
    (value) => !types.includes(Array.isArray(value) ? 'array' : typeof value),
  )
  return [[name, wrap(wrongValue) as object], ...memberBodies, ...entryBodies]
}

// Pairing answers every failure alike (observed-0.49), and calls through the MCP channel have
// their own errors.
const writes = endpoints.filter(
  ({ access, body, id }) => access !== 'read' && body !== null && !['pair.post', 'mcp.post'].includes(id),
)
const requiredCases = writes.flatMap((row) => {
  const members = (getBodyShape(row).required ?? []).filter((name) => name !== 'confirm')
  return members.length > 0 ? [[row.id, members] as const] : []
})
const mistypedCases = writes.flatMap((row) =>
  buildMistypedBodies(getBodyShape(row)).map(([name, body]) => [row.id, name, body] as const),
)

describe('a write with an undocumented body', () => {
  test.each(requiredCases)('%s is refused without a body, and names the missing members', async (id, members) => {
    const before = serializeState()
    const { status, json } = await askConfirmed(id, {})
    expect([status, json.error?.code, json['persisted']]).toEqual([422, 'BODY_INVALID', undefined])
    expect((json.error?.details as { missing: string[] }).missing).toEqual(expect.arrayContaining([...members]))
    expect(serializeState()).toBe(before)
  })

  test.each(mistypedCases)('%s is refused, and names %s, which has another type: %j', async (id, name, body) => {
    const before = serializeState()
    const { status, json } = await askConfirmed(id, body)
    expect([status, json.error?.code, json['persisted']]).toEqual([422, 'BODY_INVALID', undefined])
    expect((json.error?.details as { wrong: string[] }).wrong).toContain(name)
    expect(serializeState()).toBe(before)
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
  ])('%s is refused with %j, and names the empty member', async (id, body, name) => {
    const ids: Readonly<Record<string, string>> = {
      N: pathValues['noteid'] ?? '',
      T: pathValues['topicid'] ?? '',
      B: pathValues['bookmd5'] ?? '',
    }
    const bodyWithIds = JSON.parse(
      JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? (ids[value] ?? value) : value)),
    ) as object
    const before = serializeState()
    const { status, json } = await askConfirmed(id, bodyWithIds)
    expect([status, json['persisted'], json['queued']]).toEqual([422, undefined, undefined])
    expect(JSON.stringify(json.error)).toContain(name)
    expect(serializeState()).toBe(before)
  })
})
