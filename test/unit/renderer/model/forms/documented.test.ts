import { describe, expect, test } from 'vitest'
import { getEndpoint, getEndpointById, endpoints } from '../../../../../shared/bridge/endpoints/index.ts'
import { parseFormBody, formatFormBody } from '../../../../../renderer/model/forms/form-body.ts'
import { findBodyViolations } from '../../../../../shared/bridge/body-violations.ts'
import { buildCommandDraft } from '../../../../../renderer/model/forms/command-draft.ts'
import { createFormFields } from '../../../../../renderer/model/forms/form-fields.ts'
import { documentedWrites } from '../../../../support/data/documented-bodies.ts'

const writes = endpoints.filter(
  ({ access, returnsSecret: secret, isUpload: upload }) => access !== 'read' && !secret && !upload,
)

test('every write and nothing else has a documented body in this list', () => {
  expect(Object.keys(documentedWrites).sort()).toEqual(writes.map(({ id }) => id).sort())
})

describe.each(Object.entries(documentedWrites))('%s', (id, { members, params = {}, query = {}, body }) => {
  const row = getEndpointById(id)
  const fields = createFormFields(row).filter((field) => field.in === 'body')

  test('has the documented members in its form, and marks every other one', () => {
    const documented = fields.filter(({ isGuessed: guessed }) => !guessed).map(({ name }) => name)
    expect(documented.sort()).toEqual([...members].sort())
  })

  test('accepts the documented body, which survives the form unchanged', () => {
    expect(findBodyViolations(row, { ...body, ...(row.confirm === 'body' ? { confirm: true } : {}) })).toEqual([])
    const form = parseFormBody(row, JSON.stringify(body))
    expect(form?.extraJson).toBe('')
    const values = { ...params, ...query, ...form?.values }
    expect(buildCommandDraft(row, values)).toEqual({ ok: true, draft: { endpoint: id, params, query, body } })
    expect(JSON.parse(String(formatFormBody(row, values)))).toEqual(body)
  })
})

test('an upload has confirm in its query and no body', () => {
  const row = getEndpoint('library.upload')
  expect([row.confirm, row.isUpload, row.body]).toEqual(['query', true, null])
  const fields = createFormFields(row).map(({ name, in: location }) => `${location} ${name}`)
  // The gate adds it: nobody fills it in.
  expect(fields).toEqual(['query filename', 'query folder', 'query topicid'])
})
