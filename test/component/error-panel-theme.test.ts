import { h, nextTick, ref } from 'vue'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import ErrorPanel from '../../renderer/components/ErrorPanel.vue'
import WidgetProvider from '../../renderer/components/widgets/WidgetProvider.vue'
import type { ThemeName } from '../../renderer/styles/theme.ts'
import { AppError } from '../../shared/errors.ts'
import { getByRole, mountComponent } from '../support/vue/mounting.ts'

// @runs-alone: the document's style sheets are replaced, on which other tests compute styles.
let styles = ''
class RecordedStyleSheet {
  replaceSync(text: string): void {
    styles += text
  }
}
beforeEach(() => {
  styles = ''
  vi.stubGlobal('CSSStyleSheet', RecordedStyleSheet)
  Object.defineProperty(document, 'adoptedStyleSheets', { configurable: true, value: [] })
})
afterEach(() => {
  vi.unstubAllGlobals()
  document.body.innerHTML = ''
})

test('an error that is shown has the styles of the theme to which the page changes', async () => {
  const theme = ref<ThemeName>('light')
  const error = new AppError({ kind: 'http', status: 500, message: 'Broken', retryable: false })
  // Like the page, which is not rendered again.
  const Page = { render: () => h(ErrorPanel, { error }) }
  mountComponent({ render: () => h(WidgetProvider, { theme: theme.value }, { default: () => h(Page) }) })
  const getClass = (): string =>
    getByRole('alert')
      .className.split(' ')
      .find((name) => name.startsWith('__alert')) ?? 'none'
  const lightClass = getClass()
  expect(styles).toContain(`.${lightClass}`)
  theme.value = 'dark'
  await nextTick()
  expect(getClass()).not.toBe(lightClass)
  expect(styles).toContain(`.${getClass()}`)
  // Vue renders more often here than in the page, where nothing else makes NAlert mount them.
  expect(getByRole('alert').dataset['theme']).toBe('dark')
})
