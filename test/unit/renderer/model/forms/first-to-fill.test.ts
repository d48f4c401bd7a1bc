import { describe, expect, test } from 'vitest'
import type { FormField } from '../../../../../renderer/model/forms/form-fields.ts'
import { findInitialField } from '../../../../../renderer/model/forms/initial-field.ts'

const field = (name: string, required = true): FormField => ({
  name,
  in: 'body',
  type: 'text',
  required,
  canBeEmpty: false,
})

describe('the first field to fill', () => {
  test('is the first required empty one', () => {
    expect(findInitialField([field('noteIds'), field('operation'), field('hashtags')], { noteIds: ['A'] })).toBe(
      'operation',
    )
    expect(findInitialField([field('noteIds'), field('operation')], { noteIds: [] })).toBe('noteIds')
  })

  test('is otherwise the first one with a value to change that is no id', () => {
    expect(findInitialField([field('noteid'), field('text')], { noteid: 'A', text: 'Old title' })).toBe('text')
    expect(findInitialField([field('requestId'), field('note', false)], { requestId: 'r' })).toBeNull()
  })
})
