import { describe, expect, test } from 'vitest'
import { findContractPart } from '../../../../renderer/model/responses/contract-part.ts'

describe('the part of the contract at a pointer', () => {
  test('is the schema of the innermost place that the contract shows', () => {
    const part = findContractPart('studySets.list', '/studySets/*/no-such/deeper')
    expect(part?.pointer).toBe('/studySets/*')
    expect(part?.schema).toContain('"topicid"')
    expect(findContractPart('studySets.list', '/studySets/*/topicid')?.schema).toContain('"string"')
  })

  test('is the whole response if nothing of the way is shown, and null without a JSON response', () => {
    expect(findContractPart('studySets.list', '/nothing/*')?.pointer).toBe('')
    expect(findContractPart(null, '/a')).toBeNull()
    expect(findContractPart('guide.get', '')).toBeNull()
  })
})
