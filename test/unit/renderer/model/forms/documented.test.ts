import { describe, expect, test } from 'vitest'
import { endpoint, endpointNamed, endpoints } from '../../../../../shared/bridge/endpoints/index.ts'
import { bodyInForm, bodyTextOf } from '../../../../../renderer/model/forms/as-json.ts'
import { bodyMisfits } from '../../../../../shared/bridge/body-misfits.ts'
import { commandOf } from '../../../../../renderer/model/forms/command.ts'
import { fieldsOf } from '../../../../../renderer/model/forms/fields.ts'
import { documentedWrites } from '../../../../support/data/documented-bodies.ts'

const writes = endpoints.filter(({ access, secret, upload }) => access !== 'read' && !secret && !upload)

test('every write has its documented body here, and nothing else has', () => {
  expect(Object.keys(documentedWrites).sort()).toEqual(writes.map(({ id }) => id).sort())
})

describe.each(Object.entries(documentedWrites))('%s', (id, { members, params = {}, query = {}, body }) => {
  const row = endpointNamed(id)
  const fields = fieldsOf(row).filter((field) => field.in === 'body')

  test('its form has the documented members, and marks every other one', () => {
    const documented = fields.filter(({ guessed }) => !guessed).map(({ name }) => name)
    expect(documented.sort()).toEqual([...members].sort())
  })

  test('the documented body fits, goes into the form and comes out of it as it was', () => {
    expect(bodyMisfits(row, { ...body, ...(row.confirm === 'body' ? { confirm: true } : {}) })).toEqual([])
    const form = bodyInForm(row, JSON.stringify(body))
    expect(form?.extra).toBe('')
    const values = { ...params, ...query, ...form?.values }
    expect(commandOf(row, values)).toEqual({ ok: true, draft: { endpoint: id, params, query, body } })
    expect(JSON.parse(String(bodyTextOf(row, values)))).toEqual(body)
  })
})

test('an upload asks for its confirm in the query, and for no body', () => {
  const row = endpoint('library.upload')
  expect([row.confirm, row.upload, row.body]).toEqual(['query', true, null])
  const fields = fieldsOf(row).map(({ name, in: where }) => `${where} ${name}`)
  // The gate adds it: nobody fills it in.
  expect(fields).toEqual(['query filename', 'query folder', 'query topicid'])
})
