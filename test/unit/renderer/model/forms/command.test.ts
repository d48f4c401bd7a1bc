import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { getEndpoint, getEndpointById, endpoints } from '../../../../../shared/bridge/endpoints/index.ts'
import { findEndpointRow } from '../../../../../shared/bridge/listed-row.ts'
import { buildPath } from '../../../../../electron/services/bridge/client/request-path.ts'
import {
  buildCommandDraft,
  getListedQueryDefaults,
  type FormValues,
} from '../../../../../renderer/model/forms/command-draft.ts'
import { createFormFields } from '../../../../../renderer/model/forms/form-fields.ts'

const writes = endpoints.filter(({ access }) => access !== 'read')

describe('the form of a write', () => {
  test.each(writes.map(({ id }) => id))(
    '%s has a field for everything that it requires, and none for what the gate adds',
    (id) => {
      const row = getEndpointById(id)
      const fields = createFormFields(row)
      const names = fields.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names).not.toContain('confirm')
      // Panels get theirs from the host; an external tool names its own (spec §5).
      expect(names.includes('addon')).toBe(row.hasAddon)
      for (const { name, required, in: location } of row.parameters) {
        if (name === 'confirm' && location === 'query') continue
        expect(fields.find((field) => field.name === name)).toMatchObject({ required })
      }
      const value: Record<string, unknown> = {}
      for (const { name, type, values } of fields) {
        value[name] = type === 'strings' ? ['a'] : type === 'json' ? '[]' : (values?.[0] ?? '1')
      }
      expect(buildCommandDraft(row, value as never)).toMatchObject({ ok: true })
    },
  )

  test('builds nested members and the empty layer', () => {
    const row = getEndpoint('writing.pencilCommit')
    const values = { surfaceId: 's', requestId: 'r', 'target.topicid': 'T', 'target.noteid': 'N' }
    expect(buildCommandDraft(row, values)).toEqual({
      ok: true,
      draft: {
        endpoint: 'writing.pencilCommit',
        params: {},
        query: {},
        body: { surfaceId: 's', requestId: 'r', target: { topicid: 'T', noteid: 'N', layerId: '' } },
      },
    })
  })

  test('reads texts one per line, with their inner spaces and commas', () => {
    const result = buildCommandDraft(
      getEndpoint('notes.hashtags'),
      { noteIds: ' A B,C \n\nD\n', operation: 'add', hashtags: '#a' },
      '',
    )
    expect(result).toMatchObject({ ok: true, draft: { body: { noteIds: ['A B,C', 'D'] } } })
    expect(
      buildCommandDraft(getEndpoint('notes.hashtags'), { noteIds: ' \n ', operation: 'add', hashtags: '#a' }),
    ).toMatchObject({
      ok: false,
      errors: { noteIds: { code: 'required' } },
    })
  })

  test('reports errors at their field', () => {
    const result = buildCommandDraft(getEndpoint('notes.metadata'), { noteIds: [], 'patch.colorIndex': '1.5' }, '[1]')
    expect(result).toMatchObject({
      ok: false,
      errors: { noteIds: { code: 'required' }, 'patch.colorIndex': { code: 'integer' }, extra: { code: 'json' } },
    })
  })

  test('passes on members unknown to the schema without replacing others', () => {
    const draft = (extra: string) => buildCommandDraft(getEndpoint('notes.title'), { noteid: 'N', text: 'T' }, extra)
    expect(draft('{"more":1}')).toMatchObject({ ok: true, draft: { body: { text: 'T', more: 1 } } })
    expect(draft('{"text":"x","more":1}')).toEqual({
      ok: false,
      errors: { extra: { code: 'clash', params: { name: 'text' } } },
    })
    const prepared = draft('{"__proto__":{"title":"x"}}')
    expect(prepared.ok && JSON.stringify(prepared.draft.body)).toBe('{"text":"T","__proto__":{"title":"x"}}')
  })

  test('merges further members into existing ones, and reports conflicts', () => {
    const values = { noteid: 'N', expectedRevision: '4', 'practice.topic': 'S' }
    const verdict = (extra: string) => buildCommandDraft(getEndpoint('notes.practiceVerdict'), values, extra)
    expect(verdict('{"practice":{"card":"C"}}')).toMatchObject({
      ok: true,
      draft: { body: { practice: { topic: 'S', card: 'C' } } },
    })
    expect(verdict('{"practice":{"topic":"X"}}')).toMatchObject({
      errors: { extra: { code: 'clash', params: { name: 'practice.topic' } } },
    })
  })

  test('allows an optional object to be left out', () => {
    const row = getEndpoint('notes.practiceVerdict')
    expect(createFormFields(row).find(({ name }) => name === 'practice.topic')).toMatchObject({
      required: false,
      requiredInObject: 'practice',
    })
    const result = buildCommandDraft(row, { noteid: 'N', expectedRevision: '4' })
    expect(result.ok && result.draft.body).toEqual({ expectedRevision: '4' })
  })

  test('returns a number that was read as a number, and typed input as text', () => {
    const getSentRevision = (expectedRevision: string | number): unknown => {
      const result = buildCommandDraft(getEndpoint('notes.practiceVerdict'), { noteid: 'N', expectedRevision })
      return result.ok ? result.draft.body : result.errors
    }
    expect([getSentRevision(4), getSentRevision('4')]).toEqual([{ expectedRevision: 4 }, { expectedRevision: '4' }])
  })

  test('builds a JSON command from any input, or reports a field error', () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }), fc.constant(undefined))
    fc.assert(
      fc.property(fc.constantFrom(...writes), fc.infiniteStream(value), fc.string(), (row, stream, extra) => {
        const values = Object.fromEntries(createFormFields(row).map(({ name }) => [name, stream.next().value]))
        const result = buildCommandDraft(row, values as never, extra)
        if (!result.ok) {
          expect(Object.keys(result.errors).length).toBeGreaterThan(0)
          return
        }
        expect(result.draft.endpoint).toBe(row.id)
        expect(result.draft.body === undefined || JSON.parse(JSON.stringify(result.draft.body))).toBeTruthy()
        for (const { name, in: location, required } of row.parameters) {
          if (location === 'path' && required) expect(result.draft.params[name]).toBeTruthy()
        }
        try {
          buildPath(row, result.draft.params, result.draft.query)
        } catch (error) {
          expect(String(error)).toMatch(/parameter/)
        }
      }),
    )
  })

  test('does not treat a contract violation as a form error', () => {
    const result = buildCommandDraft(getEndpoint('decks.addCards'), { deckId: 'D', cards: '[{"noteId":"N"}]' })
    expect(result).toMatchObject({ ok: true, draft: { body: { cards: [{ noteId: 'N' }] } } })
  })

  test('has one field for an object with open members, and none for the confirm query', () => {
    expect(createFormFields(getEndpoint('uiState.apply'))).toMatchObject([
      { name: 'state', type: 'json', required: true },
    ])
    expect(createFormFields(getEndpoint('library.upload')).map(({ name }) => name)).toEqual([
      'filename',
      'folder',
      'topicid',
    ])
  })

  test('sends an expected prefix that was deliberately emptied, but not an untouched one', () => {
    const row = getEndpoint('notes.title')
    const body = (values: object) => {
      const result = buildCommandDraft(row, { noteid: 'N', text: 'T', ...values })
      return result.ok ? result.draft.body : result.errors
    }
    expect([body({}), body({ expectedPrefix: '' })]).toEqual([{ text: 'T' }, { text: 'T', expectedPrefix: '' }])
  })

  test('marks an undocumented member', () => {
    const body = z.looseObject({ sure: z.string(), maybe: z.string().optional().meta({ guessed: true }) })
    const fields = createFormFields({ ...getEndpoint('notes.title'), parameters: [], body })
    expect(fields.map(({ name, isGuessed: guessed }) => [name, guessed])).toEqual([
      ['sure', undefined],
      ['maybe', true],
    ])
  })
})

describe('the form of a route that only the host lists', () => {
  const routes = [{ method: 'POST', path: '/x/{id}?mode=slow', query: ['color'] }]
  const row = findEndpointRow('listed POST /x/{id}', { routes }) ?? never()
  const queryOf = (values: FormValues) => {
    const result = buildCommandDraft(row, { id: 'N', ...values })
    return result.ok ? result.draft.query : result.errors
  }

  test('has the listed parameters, and lines for others', () => {
    expect(getListedQueryDefaults(row)).toMatchObject({ mode: 'slow' })
    expect(queryOf({})).toEqual({})
    expect(queryOf({ color: 'red', '?': ' a=1 \n\nb=x=y\n__proto__=z' })).toEqual(
      Object.fromEntries([
        ['color', 'red'],
        ['a', '1'],
        ['b', 'x=y'],
        ['__proto__', 'z'],
      ]),
    )
  })

  test('rejects a line without a name or a value, and a name that occurs twice', () => {
    for (const line of ['a', '=1']) expect(queryOf({ '?': line })).toEqual({ '?': { code: 'pair', params: { line } } })
    for (const lines of ['a=1\na=2', 'color=1']) {
      expect(queryOf({ color: 'red', '?': lines })).toMatchObject({ '?': { code: 'clash' } })
    }
  })

  test('is the only one with such lines', () => {
    const listRow = getEndpointById('studySets.list')
    expect(createFormFields(listRow).map(({ name }) => name)).toEqual(['query'])
    expect(getListedQueryDefaults(listRow)).toEqual({})
  })
})

function never(): never {
  throw new Error('no row')
}
