import { describe, expect, test } from 'vitest'
import type { Field } from '../../../../../renderer/model/forms/fields.ts'
import { firstToFill } from '../../../../../renderer/model/forms/first-to-fill.ts'

const field = (name: string, required = true): Field => ({
  name,
  in: 'body',
  type: 'text',
  required,
  mayBeEmpty: false,
})

describe('the field in which a person begins', () => {
  test('is the first that is required and empty', () => {
    expect(firstToFill([field('noteIds'), field('operation'), field('hashtags')], { noteIds: ['A'] })).toBe('operation')
    expect(firstToFill([field('noteIds'), field('operation')], { noteIds: [] })).toBe('noteIds')
  })

  test('is else the first that holds something to change, and no id', () => {
    expect(firstToFill([field('noteid'), field('text')], { noteid: 'A', text: 'Old title' })).toBe('text')
    expect(firstToFill([field('requestId'), field('note', false)], { requestId: 'r' })).toBeNull()
  })
})
