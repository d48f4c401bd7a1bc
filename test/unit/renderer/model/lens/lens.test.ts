import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  resolveId,
  type SourcedSighting,
  type SightingSource,
} from '../../../../../renderer/model/lens/id-resolution.ts'
import { findSightings } from '../../../../../renderer/model/lens/sightings.ts'
import { findPastedId } from '../../../../../renderer/model/lens/pasted-id.ts'

const NOTE = '2F434250-51B5-49D9-8607-E9C650C67873'
const SET = 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
const BOOK = 'd41d8cd98f00b204e9800998ecf8427e'
const source: SightingSource = { label: 'GET /x', endpoint: 'x', recordId: null, timestamp: 1, host: null }
const seenIn = (value: unknown, id: string, more: Partial<SightingSource> = {}, kinds = {}): SourcedSighting[] =>
  findSightings(value, id, kinds).map((sighting) => ({ ...sighting, source: { ...source, ...more } }))
const pathsOf = (sightings: readonly SourcedSighting[]): readonly unknown[] =>
  resolveId(sightings).meanings.map(({ kind, path }) => [kind, path])

describe('findPastedId', () => {
  test.each([
    [NOTE, NOTE, true],
    [` "${NOTE}", `, NOTE, true],
    [BOOK, BOOK, true],
    [`marginnote4app://note/${NOTE}`, NOTE, true],
    [`#/notes/${NOTE}?tab=raw`, NOTE, true],
    [`http://127.0.0.1:4000/#/study-sets/${SET}/tree`, SET, true],
    ['run-1', 'run-1', false],
    ['bundle-1', 'bundle-1', false],
  ])('finds the id in %s', (text, id, certain) => {
    expect(findPastedId(text)).toEqual({ id, isCertain: certain })
  })

  test.each(['', 'library', 'Calculus II', 'a/b', '  '])('finds none in “%s”', (text) => {
    expect(findPastedId(text)).toBeNull()
  })

  test('accepts any text without throwing', () => {
    fc.assert(fc.property(fc.string(), (text) => findPastedId(text) === null || findPastedId(text)?.id !== ''))
  })
})

describe('findSightings', () => {
  const library = {
    studySets: [
      { topicid: SET, title: 'Calculus II' },
      { id: 'other', title: 'Else' },
    ],
  }

  test('takes no id for a card’s that the contract does not call one', () => {
    const body = { practice: { runId: 'r', questionId: NOTE }, noteid: NOTE }
    expect(findSightings(body, NOTE).map(({ memberName, kind }) => [memberName, kind])).toEqual([
      ['questionId', null],
      ['noteid', 'card'],
    ])
  })

  test('finds the entry with the id, in the notation of the host', () => {
    expect(findSightings(library, SET.toLowerCase())).toEqual([
      {
        id: SET,
        pointer: '/studySets/0/topicid',
        memberName: 'topicid',
        kind: 'studySet',
        namedObject: { kind: 'studySet', id: SET, title: 'Calculus II' },
        referrer: null,
        nearbyIds: { studySet: SET },
      },
    ])
    expect(findSightings(library, 'other')[0]).toMatchObject({ kind: 'studySet', namedObject: { title: 'Else' } })
  })

  test('finds what refers to the id', () => {
    const [sighting] = findSightings({ items: [{ noteid: NOTE, title: 'Limits', topicid: SET }] }, SET)
    expect(sighting).toMatchObject({
      kind: 'studySet',
      namedObject: null,
      referrer: { kind: 'card', id: NOTE, title: 'Limits' },
    })
  })

  test('finds an element of a list of ids, by the name of the list', () => {
    const [sighting] = findSightings({ bookmd5: BOOK, contentIds: ['c-1'] }, 'c-1')
    expect(sighting).toMatchObject({
      pointer: '/contentIds/0',
      kind: 'content',
      referrer: { kind: 'document', id: BOOK },
    })
  })

  test('ignores a value that contains the id only as a part', () => {
    expect(findSightings({ text: `see ${NOTE}`, other: 1, list: [null, [NOTE.slice(1)]] }, NOTE)).toEqual([])
  })

  test('searches any JSON value without throwing, and returns correct pointers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const { pointer, id } of findSightings({ value, noteid: 'x' }, 'x')) {
          const parts = pointer
            .slice(1)
            .split('/')
            .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
          const target = parts.reduce<unknown>((inner, part) => Reflect.get(Object(inner), part), {
            value,
            noteid: 'x',
          })
          expect(target).toBe(id)
        }
      }),
    )
  })
})

describe('resolveId', () => {
  test('resolves a card with its study set', () => {
    expect(pathsOf(seenIn({ items: [{ noteid: NOTE, title: 'Limits', topicid: SET }] }, NOTE))).toEqual([
      ['card', `/notes/${NOTE}?topicid=${SET}`],
    ])
  })

  test('resolves the record of an excerpt without also calling it a card', () => {
    const response = { bookmd5: BOOK, items: [{ noteid: 'rec-1', cardNoteId: NOTE, topicid: SET }] }
    const excerpt = seenIn(response, 'rec-1', {}, { noteid: 'excerpt' })
    expect(pathsOf(excerpt)).toEqual([['excerpt', `/documents/${BOOK}/excerpts?note=${NOTE}`]])
    const elsewhere = seenIn({ changes: { noteIds: ['rec-1'] } }, 'rec-1')
    expect(pathsOf([...excerpt, ...elsewhere])).toHaveLength(1)
    const card = seenIn({ items: [{ noteid: 'rec-1', title: 'Own' }] }, 'rec-1')
    expect(pathsOf([...excerpt, ...card])).toHaveLength(2)
  })

  test('resolves content through its card', () => {
    expect(pathsOf(seenIn({ items: [{ noteid: NOTE, parts: [{ kind: 'image', contentId: 'c1' }] }] }, 'c1'))).toEqual([
      ['content', `/notes/${NOTE}?tab=content&content=c1`],
    ])
  })

  test('resolves a request and a run through the record in the journal', () => {
    const body = { requestId: 'r-1', runId: 'run-1' }
    expect(pathsOf(seenIn(body, 'r-1', { recordId: 'op-1' }))).toEqual([['request', '/operations/op-1']])
    expect(pathsOf(seenIn(body, 'run-1', { recordId: 'op-1' }))).toEqual([['run', '/operations/op-1']])
    expect(pathsOf(seenIn(body, 'run-1'))).toEqual([['run', null]])
  })

  test('returns several meanings in a fixed order, with a title from any of them', () => {
    const deck = seenIn({ decks: [{ deckId: SET, title: 'Flashcards' }] }, SET)
    const set = seenIn({ items: [{ noteid: NOTE, topicid: SET }] }, SET)
    const { meanings, references } = resolveId([...deck, ...set])
    expect(meanings.map(({ kind, title }) => [kind, title])).toEqual([
      ['studySet', ''],
      ['deck', 'Flashcards'],
    ])
    expect(references.map(({ referrer: by, memberName: name }) => [by.id, name])).toEqual([[NOTE, 'topicid']])
  })

  test('returns nothing for an unknown id', () => {
    expect(resolveId([])).toEqual({ meanings: [], references: [] })
  })
})
