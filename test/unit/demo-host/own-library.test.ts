import { expect, onTestFinished, test } from 'vitest'
import {
  parseLibraryFile,
  type LibraryFile,
  type LibraryFileCard,
} from '../../../electron/demo-host/library/library-file.ts'
import { buildOwnLibrary } from '../../../electron/demo-host/library/own-library.ts'
import type { Library, LibraryCard, LibraryDocument, LibraryStudySet } from '../../../testing/api.ts'
import { startDemo } from '../../support/hosts/demo.ts'

type Mutable<T> = T extends string | number | boolean | undefined
  ? T
  : T extends readonly [infer A, infer B, infer C, infer D]
    ? [A, B, C, D]
    : T extends readonly (infer E)[]
      ? Mutable<E>[]
      : { -readonly [K in keyof T]: Mutable<T[K]> }

/** The kit's declarations import nothing, so the compiler compares them with the schema here. */
const toLibraryFile = (library: Mutable<Library>): LibraryFile => library
const toLibrary = (file: Required<LibraryFile>): Required<Library> => file

type HasSameMembers<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? true : false
type Entry<T> = NonNullable<T> extends readonly (infer E)[] ? E : never
/** An optional member that only one side has would be assignable. */
const sameMembers: readonly [
  HasSameMembers<LibraryFile, Library>,
  HasSameMembers<Entry<LibraryFile['studySets']>, LibraryStudySet>,
  HasSameMembers<Entry<LibraryFile['documents']>, LibraryDocument>,
  HasSameMembers<LibraryFileCard, LibraryCard>,
  HasSameMembers<Entry<LibraryFileCard['bands']>, Entry<LibraryCard['bands']>>,
  HasSameMembers<Entry<LibraryFileCard['parts']>, Entry<LibraryCard['parts']>>,
  HasSameMembers<Entry<LibraryFileCard['practice']>, Entry<LibraryCard['practice']>>,
  HasSameMembers<NonNullable<LibraryFile['limits']>, NonNullable<Library['limits']>>,
] = [true, true, true, true, true, true, true, true]

const toCards = (...cards: object[]): object => ({ studySets: [{ title: 'Biology', cards }] })

function readProblem(value: unknown): string {
  try {
    buildOwnLibrary(parseLibraryFile(value))
    return 'none'
  } catch (error) {
    return error instanceof Error ? error.message.replace('The library is not valid. ', '') : 'no error'
  }
}

function nestCards(levels: number): object {
  let card: object = { title: 'Lowest' }
  for (let level = 1; level < levels; level += 1) card = { title: 'Card', children: [card] }
  return card
}

test('accepts the smallest file and the types of the kit', () => {
  expect([toLibrary, toLibraryFile, sameMembers]).toHaveLength(3)
  expect(readProblem({ studySets: [] })).toBe('none')
  expect(readProblem({ $schema: './library.schema.json', studySets: [{ title: '', cards: [] }] })).toBe('none')
})

test.each<[unknown, string]>([
  [null, 'library: '],
  [[], 'library: '],
  [{}, 'studySets: '],
  [{ studySets: [], cards: [] }, 'cards: there is no such member'],
  [toCards({ title: 'A' }, { title: 'B', color: 16 }), 'studySets[0].cards[1].color: '],
  [toCards({ title: 'A', colour: 1 }), 'studySets[0].cards[0].colour: there is no such member'],
  [
    toCards({ title: 'A', children: [{ title: 'B', children: [{}] }] }),
    'studySets[0].cards[0].children[0].children[0].title: ',
  ],
  [toCards({ title: 'A', tags: ['exam'] }), 'studySets[0].cards[0].tags[0]: begins with #'],
  [toCards({ title: 'A', parts: [{ kind: 'film' }] }), 'studySets[0].cards[0].parts[0].kind: '],
  [toCards({ title: 'A', document: 'd' }), 'studySets[0].cards[0].document: there is no document "d"'],
  [toCards({ title: 'A', id: 'a/b' }), 'studySets[0].cards[0].id: takes 1 to 100 letters'],
  [toCards({ id: 'a', title: 'A' }, { id: 'a', title: 'B' }), 'studySets[0].cards[1].id: "a" stands twice'],
  [{ studySets: [], open: { studySet: 'x' } }, 'open.studySet: there is no study set "x"'],
  [{ studySets: [{ title: 'A', cards: [], documents: ['d'] }] }, 'studySets[0].documents[0]: there is no document "d"'],
  [{ studySets: [], limits: { batchNoteIds: 0 } }, 'limits.batchNoteIds: '],
  [toCards({ id: '..', title: 'A' }), 'studySets[0].cards[0].id: takes 1 to 100 letters'],
  [toCards({ title: 5 }), 'studySets[0].cards[0].title: '],
  [
    toCards({ title: 'A', parts: [{ kind: 'image', masks: [[0, 0, 1, 1, 1]] }] }),
    'studySets[0].cards[0].parts[0].masks[0]: ',
  ],
  [toCards({ title: 'A', practice: [{ self: 'again', at: '2026-01-01' }] }), 'studySets[0].cards[0].practice[0].at: '],
  [
    { studySets: [], documents: [{ title: 'D', pages: ['a'], contents: [{ title: 'A', page: 2 }] }] },
    'documents[0].contents[0].page: the last page is 1',
  ],
  [
    {
      studySets: [{ id: 's', title: 'A', cards: [] }],
      documents: [{ id: 'd', title: 'D', pages: ['a', 'b'] }],
      open: { studySet: 's', document: 'd', page: 3 },
    },
    'open.page: the last page is 2',
  ],
  [
    { studySets: [{ id: 's', title: 'A', cards: [] }], open: { studySet: 's', page: 1 } },
    'open.page: there is no document',
  ],
])('names the member that is wrong in %j', (value, problem) => {
  expect(readProblem(value).slice(0, problem.length)).toBe(problem)
})

test('names five problems, and how many more there are', () => {
  const problem = readProblem(toCards(...Array.from({ length: 8 }, () => ({ title: 'A', color: -1 }))))
  expect(problem.match(/\.color: /g)).toHaveLength(5)
  expect(problem).toMatch(/; and 3 more$/)
})

test('has bounds for the depth and the number of cards, also of an object that contains itself', () => {
  expect(readProblem(toCards(nestCards(100)))).toBe('none')
  expect(readProblem(toCards(nestCards(101)))).toContain('children: cards are more than 100 levels deep')
  const card: { title: string; children: object[] } = { title: 'A', children: [] }
  card.children.push(card)
  expect(readProblem(toCards(card))).toContain('levels deep')
  const shared = Array.from({ length: 100 }, () => ({ title: 'A' }))
  const doubled = [1, 2, 3].reduce<object[]>(
    (cards) => Array.from({ length: 100 }, () => ({ title: 'A', children: cards })),
    shared,
  )
  expect(readProblem(toCards(...doubled))).toContain('more than 200000 cards')
})

test('gives each card without an id one of its own, the same at every start', () => {
  const cards = Array.from({ length: 200 }, (_, index) => ({
    title: `Chapter ${index}`,
    children: Array.from({ length: 250 }, (__, child) => ({ title: `Card ${child}` })),
  }))
  const build = (): string[] => [...buildOwnLibrary(parseLibraryFile(toCards(...cards))).library.cards.keys()]
  const ids = build()
  expect(ids).toHaveLength(50_200)
  expect(build()).toEqual(ids)
})

test('lists an open study set of 12,000 cards in three pages of the default limit', async () => {
  const cards = Array.from({ length: 12_000 }, (_, index) => ({ id: `card-${index}`, title: `Card ${index}` }))
  const { host, ask } = await startDemo({
    nodes: 5,
    library: {
      studySets: [
        { id: 'small', title: 'Small', cards: [] },
        { id: 'large', title: 'Large', cards },
      ],
      open: { studySet: 'large', card: 'card-7' },
    },
  })
  onTestFinished(() => host.close())
  const { json: context } = await ask('context.get')
  expect(context).toMatchObject({ studySet: { topicid: 'large' }, focusedNote: { noteid: 'card-7', title: 'Card 7' } })
  const noteids: string[] = []
  const sizes: number[] = []
  let cursor: string | null = null
  do {
    const { json } = await ask('studySets.tree', {
      params: { topicid: 'large' },
      ...(cursor === null ? {} : { query: { cursor } }),
    })
    const nodes = json['nodes'] as { noteid: string }[]
    sizes.push(nodes.length)
    noteids.push(...nodes.map(({ noteid }) => noteid))
    cursor = json['nextCursor'] as string | null
  } while (cursor !== null)
  expect(sizes).toEqual([5_000, 5_000, 2_000])
  expect(noteids).toEqual(cards.map(({ id }) => id))
  // With `nodes`, the generated study set is there as well.
  expect((await ask('studySets.list')).json['studySets']).toMatchObject([
    { noteCount: 0 },
    { noteCount: 12_000 },
    { noteCount: 5 },
  ])
})
