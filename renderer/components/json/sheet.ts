import { StyleModule } from 'style-mod'

/**
 * Lets CodeMirror bring its styles without a style element, which the page's policy forbids. It adopts a sheet in a shadow root, but adds
 * an element to a document; the set of styles that it keeps at a root, under a symbol, works for both.
 */
export function shareSheetWithDocument(): void {
  const root = document.createElement('div').attachShadow({ mode: 'closed' })
  StyleModule.mount(root, [])
  const key = Object.getOwnPropertySymbols(root).find(({ description }) => description === 'styleSet')
  if (key) Object.defineProperty(document, key, { value: Reflect.get(root, key), configurable: true })
}
