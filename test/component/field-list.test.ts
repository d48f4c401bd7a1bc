import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import FieldList from '../../renderer/components/FieldList.vue'
import { createTestTranslator } from '../support/vue/translator.ts'

const mountFields = (source: string) =>
  mount(FieldList, { props: { source, owner: 'one' }, global: { plugins: [createTestTranslator('en')] } })

describe('safety 37: fields of an object are shown as sent', () => {
  it('shows numbers that a double cannot hold, and decimals, as written', () => {
    const text = mountFields('{"big":12345678901234567890,"deep":{"n":[1.50,9007199254740993]},"e":1e400}').text()
    expect(text).toContain('12345678901234567890')
    expect(text).toContain('{"n":[1.50,9007199254740993]}')
    expect(text).toContain('1e400')
  })

  it('shows the last value of a duplicate key', () => {
    expect(mountFields('{"a":1,"a":2}').text()).toBe('a2')
  })

  it('shows HTML as text, names empty values, and makes ids copyable', () => {
    const list = mountFields('{"title":"<b>x</b>","note":"","noteid":"ABC","parent":null}')
    expect(list.find('b').exists()).toBe(false)
    expect(list.text()).toContain('<b>x</b>')
    expect(list.text()).toContain('(empty)')
    expect(list.get('button').attributes('aria-label')).toBe('Copy noteid: ABC')
    expect(list.text()).toContain('null')
  })

  it('shows no fields for anything but an object', () => {
    expect(mountFields('[1]').findAll('dt').length).toBe(1)
    expect(mountFields('7').findAll('dt').length).toBe(0)
  })
})
