import { afterEach, expect, test } from 'vitest'
import { defineComponent, h } from 'vue'
import AppTime from '../../renderer/components/AppTime.vue'
import { useContractTexts } from '../../renderer/panes/contract-texts.ts'
import { useProfileName } from '../../renderer/panes/profile-name.ts'
import { getEndpointById } from '../../shared/bridge/endpoints/index.ts'
import type { AppLocale } from '../../renderer/i18n/index.ts'
import { mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

/** What `say` returns in a page of this language. */
function said(locale: AppLocale, say: () => string): string {
  return mountComponent(
    defineComponent(() => {
      const text = say()
      return () => h('p', text)
    }),
    { locale },
  ).text()
}

const summary = (id: string) => () => useContractTexts().summarizeEndpoint(getEndpointById(id))
const parameter = (id: string, name: string) => () => {
  const found = getEndpointById(id).parameters.find((one) => one.name === name)
  if (!found) throw new Error(`no parameter ${name}`)
  return useContractTexts().describeParameter(id, found)
}

test('the endpoint table speaks the language of the page', () => {
  expect(said('en', summary('decks.list'))).toBe(getEndpointById('decks.list').summary)
  expect(said('zh-CN', summary('decks.list'))).toBe('全部卡组。')
})

test('a parameter of the same name has a text of its own where it means something else', () => {
  expect(said('zh-CN', parameter('documents.pageParts', 'index'))).toContain('页序')
  expect(said('zh-CN', parameter('notes.comment', 'index'))).toContain('评论的序号')
})

test('the profile of the demo library has a name in each language, others keep theirs', () => {
  expect(said('zh-CN', () => useProfileName()('Demo library'))).toBe('演示资料库')
  expect(said('zh-CN', () => useProfileName()('Study Mac'))).toBe('Study Mac')
})

test('a moment says how long ago it was, or how long it has lasted', () => {
  const at = Date.now() - 4 * 60_000
  expect(mountComponent(AppTime, { props: { timestamp: at } }).text()).toBe('4 minutes ago')
  expect(mountComponent(AppTime, { props: { timestamp: at, isOngoing: true } }).text()).toBe('4 minutes')
  expect(mountComponent(AppTime, { props: { timestamp: at }, locale: 'zh-CN' }).text()).toBe('4 分钟前')
  expect(mountComponent(AppTime, { props: { timestamp: at, isOngoing: true }, locale: 'zh-CN' }).text()).toBe('4 分钟')
})
