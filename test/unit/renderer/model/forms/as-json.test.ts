import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getEndpoint, getEndpointById, endpoints } from '../../../../../shared/bridge/endpoints/index.ts'
import { parseFormBody, formatFormBody } from '../../../../../renderer/model/forms/form-body.ts'
import { findBodyViolations } from '../../../../../shared/bridge/body-violations.ts'
import { buildCommandDraft } from '../../../../../renderer/model/forms/command-draft.ts'
import { createFormFields } from '../../../../../renderer/model/forms/form-fields.ts'

const metadata = getEndpoint('notes.metadata')
const title = getEndpoint('notes.title')

describe('the JSON of a form', () => {
  test('contains an invalid field value as typed, and leaves out missing values', () => {
    const text = formatFormBody(metadata, { 'patch.colorIndex': 'blue', noteIds: '' }, '{"more":1}')
    expect(JSON.parse(String(text))).toEqual({ patch: { colorIndex: 'blue' }, more: 1 })
  })

  test('is not created if the further members are not an object or repeat a field', () => {
    expect(formatFormBody(title, { text: 'T' }, '[1]')).toEqual({ code: 'json', params: {} })
    expect(formatFormBody(title, { text: 'T' }, '{"text":1}')).toEqual({ code: 'clash', params: { name: 'text' } })
  })
})

describe('the form of a JSON body', () => {
  test('keeps what no field can hold among the further members', () => {
    const body = { noteIds: ['N', 'M'], patch: { colorIndex: 3, other: 1 }, more: [1], text: 5 }
    expect(parseFormBody(metadata, JSON.stringify(body))).toMatchObject({
      values: { noteIds: 'N\nM', 'patch.colorIndex': '3' },
      extraJson: JSON.stringify({ patch: { other: 1 }, more: [1], text: 5 }, null, 2),
    })
    // Of another type than the field: nothing of it is bent.
    expect(parseFormBody(title, '{"text":5}')).toMatchObject({
      values: { text: undefined },
      extraJson: '{\n  "text": 5\n}',
    })
    const back = buildCommandDraft(title, { noteid: 'N' }, '{"text":5}')
    expect(back).toMatchObject({ ok: true, draft: { body: { text: 5 } } })
  })

  test('does not exist if the body is not an object', () => {
    expect(['[1]', '"a"', '{', ''].map((text) => parseFormBody(title, text))).toEqual([null, null, null, null])
  })

  test('gives back any JSON object unchanged', () => {
    const rows = endpoints.filter(({ body, access }) => body !== null && access !== 'read')
    fc.assert(
      fc.property(fc.constantFrom(...rows), fc.infiniteStream(fc.jsonValue()), (row, stream) => {
        const names = createFormFields(row).flatMap(({ name, in: location }) =>
          location === 'body' ? [name.split('.')[0] ?? ''] : [],
        )
        const body = Object.fromEntries([...names, 'more'].map((name) => [name, stream.next().value as unknown]))
        const form = parseFormBody(row, JSON.stringify(body))
        const text = form && formatFormBody(row, form.values, form.extraJson)
        // What may be empty and has to be there is filled in: an empty layer.
        expect(JSON.parse(String(text))).toMatchObject(JSON.parse(JSON.stringify(body)) as object)
      }),
      { numRuns: 500 },
    )
  })
})

describe('contract violations of a body', () => {
  const listViolations = (id: string, body: unknown) =>
    findBodyViolations(getEndpointById(id), body).map(({ pointer: index, code }) => `${index} ${code}`)

  test.each<[string, unknown, string[]]>([
    ['notes.title', { text: 'T', expectedPrefix: '', confirm: true }, []],
    ['notes.title', { title: 'T' }, ['/text missing', '/title unknown']],
    ['notes.title', [1], [' type']],
    [
      'decks.addCards',
      { cards: [{ sourceNoteId: 'N' }, { noteid: 'M' }] },
      ['/cards/1/sourceNoteId missing', '/cards/1/noteid unknown'],
    ],
    ['decks.addCards', { noteIds: ['N'] }, ['/cards missing', '/noteIds unknown']],
    ['notes.move', { noteIds: ['N'], parent: 'P' }, ['/parent unknown', ' together']],
    ['notes.move', { moves: [], noteIds: ['N'] }, [' together']],
    ['notes.copy', { noteIds: ['N'], targetParentNoteId: 'P', mode: 'twin' }, ['/mode choice']],
    ['notes.delete', { noteIds: Array.from({ length: 51 }, String) }, ['/noteIds too-many']],
    [
      'notes.move',
      { moves: [{ noteIds: Array.from({ length: 51 }, String), targetParentNoteId: 'P' }] },
      ['/moves too-many'],
    ],
    ['uiState.apply', { state: { anything: { at: 'all' } } }, []],
    ['library.deleteDocument', { 'a/b~c': 1 }, ['/a~1b~0c unknown']],
  ])('for %s %j are listed', (id, body, expected) => {
    expect(listViolations(id, body).sort()).toEqual([...expected].sort())
  })

  test('are found without throwing for any body', () => {
    const rows = endpoints.filter(({ body }) => body !== null)
    fc.assert(
      fc.property(fc.constantFrom(...rows), fc.jsonValue(), (row, body) => {
        expect(findBodyViolations(row, body).length).toBeLessThanOrEqual(20)
      }),
    )
  })
})
