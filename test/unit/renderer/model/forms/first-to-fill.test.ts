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

describe('the field in which a person begins', () => {
  test('is the first that is required and empty', () => {
    expect(findInitialField([field('noteIds'), field('operation'), field('hashtags')], { noteIds: ['A'] })).toBe(
      'operation',
    )
    expect(findInitialField([field('noteIds'), field('operation')], { noteIds: [] })).toBe('noteIds')
  })

  test('is else the first that holds something to change, and no id', () => {
    expect(findInitialField([field('noteid'), field('text')], { noteid: 'A', text: 'Old title' })).toBe('text')
    expect(findInitialField([field('requestId'), field('note', false)], { requestId: 'r' })).toBeNull()
  })
})
