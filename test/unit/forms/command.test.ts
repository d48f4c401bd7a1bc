import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../shared/bridge/request.ts'
import { commandOf } from '../../../shared/forms/command.ts'
import { fieldsOf } from '../../../shared/forms/fields.ts'

const writes = endpoints.filter(({ access }) => access !== 'read')

describe('the form of a command', () => {
  test.each(writes.map(({ id }) => id))(
    '%s has a field for everything that it requires, and none for what the gate adds',
    (id) => {
      const row = endpoint(id)
      const fields = fieldsOf(row)
      const names = fields.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names).not.toContain('confirm')
      // Panels are given theirs by the host; an external tool says it (spec §5).
      expect(names.includes('addon')).toBe(row.addon)
      for (const { name, required } of row.parameters) {
        expect(fields.find((field) => field.name === name)).toMatchObject({ required })
      }
      const value: Record<string, unknown> = {}
      for (const { name, type } of fields) value[name] = type === 'strings' ? ['a'] : type === 'json' ? '[]' : '1'
      expect(commandOf(row, value as never)).toMatchObject({ ok: true })
    },
  )

  test('members inside of members, and the empty layer', () => {
    const row = endpoint('writing.pencilCommit')
    const values = { surfaceId: 's', requestId: 'r', 'target.topicid': 'T', 'target.noteid': 'N' }
    expect(commandOf(row, values)).toEqual({
      ok: true,
      draft: {
        endpoint: 'writing.pencilCommit',
        params: {},
        query: {},
        body: { surfaceId: 's', requestId: 'r', target: { topicid: 'T', noteid: 'N', layerId: '' } },
      },
    })
  })

  test('texts are one a line, with the spaces and commas that were typed inside of them', () => {
    const result = commandOf(endpoint('notes.hashtags'), { noteIds: ' A B,C \n\nD\n' }, '{"add":[]}')
    expect(result).toMatchObject({ ok: true, draft: { body: { noteIds: ['A B,C', 'D'] } } })
    expect(commandOf(endpoint('notes.hashtags'), { noteIds: ' \n ' })).toMatchObject({
      ok: false,
      errors: { noteIds: { code: 'required' } },
    })
  })

  test('names what is wrong, at its field', () => {
    const result = commandOf(endpoint('notes.metadata'), { noteIds: [], colorIndex: '1.5' }, '[1]')
    expect(result).toMatchObject({
      ok: false,
      errors: { noteIds: { code: 'required' }, colorIndex: { code: 'integer' }, extra: { code: 'json' } },
    })
  })

  test('members that no schema names go along and replace nothing', () => {
    const draft = (extra: string) => commandOf(endpoint('notes.title'), { noteid: 'N', title: 'T' }, extra)
    expect(draft('{"more":1}')).toMatchObject({ ok: true, draft: { body: { title: 'T', more: 1 } } })
    expect(draft('{"title":"x","more":1}')).toEqual({
      ok: false,
      errors: { extra: { code: 'clash', params: { name: 'title' } } },
    })
    const own = draft('{"__proto__":{"title":"x"}}')
    expect(own.ok && JSON.stringify(own.draft.body)).toBe('{"title":"T","__proto__":{"title":"x"}}')
  })

  test('members go into members that are there, and are named where they clash', () => {
    const values = { noteid: 'N', expectedRevision: '4', 'practice.topic': 'S' }
    const verdict = (extra: string) => commandOf(endpoint('notes.practiceVerdict'), values, extra)
    expect(verdict('{"practice":{"card":"C"}}')).toMatchObject({
      ok: true,
      draft: { body: { practice: { topic: 'S', card: 'C' } } },
    })
    expect(verdict('{"practice":{"topic":"X"}}')).toMatchObject({
      errors: { extra: { code: 'clash', params: { name: 'practice.topic' } } },
    })
  })

  test('an optional object may be left out', () => {
    const row = endpoint('notes.practiceVerdict')
    expect(fieldsOf(row).find(({ name }) => name === 'practice.topic')).toMatchObject({
      required: false,
      requiredIn: 'practice',
    })
    const result = commandOf(row, { noteid: 'N', expectedRevision: '4' })
    expect(result.ok && result.draft.body).toEqual({ expectedRevision: '4' })
  })

  test('a number that was read goes back as a number, and what was typed as a text', () => {
    const sent = (expectedRevision: string | number): unknown => {
      const result = commandOf(endpoint('notes.practiceVerdict'), { noteid: 'N', expectedRevision })
      return result.ok ? result.draft.body : result.errors
    }
    expect([sent(4), sent('4')]).toEqual([{ expectedRevision: 4 }, { expectedRevision: '4' }])
  })

  test('whatever is filled in, what comes out fits the row, or a field says why not', () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }), fc.constant(undefined))
    fc.assert(
      fc.property(fc.constantFrom(...writes), fc.infiniteStream(value), fc.string(), (row, stream, extra) => {
        const values = Object.fromEntries(fieldsOf(row).map(({ name }) => [name, stream.next().value]))
        const result = commandOf(row, values as never, extra)
        if (!result.ok) {
          expect(Object.keys(result.errors).length).toBeGreaterThan(0)
          return
        }
        expect(row.body === null || row.body.safeParse(result.draft.body).success).toBe(true)
        for (const { name, in: where, required } of row.parameters) {
          if (where === 'path' && required) expect(result.draft.params[name]).toBeTruthy()
        }
        try {
          buildPath(row, result.draft.params, result.draft.query)
        } catch (error) {
          expect(String(error)).toMatch(/parameter/)
        }
      }),
    )
  })
})
