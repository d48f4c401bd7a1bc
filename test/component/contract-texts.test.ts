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
function readInLocale(locale: AppLocale, say: () => string): string {
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
  const parameterOfName = getEndpointById(id).parameters.find((candidate) => candidate.name === name)
  if (!parameterOfName) throw new Error(`no parameter ${name}`)
  return useContractTexts().describeParameter(id, parameterOfName)
}

test('endpoint summaries are in the language of the page', () => {
  expect(readInLocale('en', summary('decks.list'))).toBe(getEndpointById('decks.list').summary)
  expect(readInLocale('zh-CN', summary('decks.list'))).toBe('全部卡组。')
})

test('a parameter has its own text where its name means something else', () => {
  expect(readInLocale('zh-CN', parameter('documents.pageParts', 'index'))).toContain('页序')
  expect(readInLocale('zh-CN', parameter('notes.comment', 'index'))).toContain('评论的序号')
})

test('where a parameter is found is said in the language of the page', () => {
  const describe = (source: string) => () => useContractTexts().describeSource('documents.excerpts', 'bookmd5', source)
  expect(readInLocale('zh-CN', describe('bookmd5 in GET /study-sets/{topicid}/documents'))).toContain(
    'GET /study-sets/{topicid}/documents 的 bookmd5',
  )
  expect(readInLocale('zh-CN', describe('GET /decks'))).toBe('GET /decks')
})

test('the profile of the demo library has a translated name, other profiles keep theirs', () => {
  expect(readInLocale('zh-CN', () => useProfileName()('Demo library'))).toBe('演示资料库')
  expect(readInLocale('zh-CN', () => useProfileName()('Study Mac'))).toBe('Study Mac')
})

test('a time is shown as time ago, or as a duration if it is ongoing', () => {
  const timestamp = Date.now() - 4 * 60_000
  expect(mountComponent(AppTime, { props: { timestamp } }).text()).toBe('4 minutes ago')
  expect(mountComponent(AppTime, { props: { timestamp, isOngoing: true } }).text()).toBe('4 minutes')
  expect(mountComponent(AppTime, { props: { timestamp }, locale: 'zh-CN' }).text()).toBe('4 分钟前')
  expect(mountComponent(AppTime, { props: { timestamp, isOngoing: true }, locale: 'zh-CN' }).text()).toBe('4 分钟')
})
