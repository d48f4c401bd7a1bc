// @ts-check
/* Shows the panel's messages: progress in one line, and every error until the user dismisses it. */

/** @type {(id: string) => any} */
export const getElement = (id) => document.getElementById(id)

export function createElement(tag, text, properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text, ...properties })
}

export function showProgress(text) {
  getElement('done').textContent = text
}

/**
 * Shows the error of a result of `host.api`, if it has one. Returns whether it has.
 *
 * @template Result
 * @param {string} sentence
 * @param {Result} result
 * @returns {result is Extract<Result, { readonly error: object }>}
 */
export function showFailure(sentence, result) {
  const error = /** @type {any} */ (result)?.error
  if (!error) return false
  const { code, message } = error
  const item = createElement('li', '')
  const dismissButton = createElement('button', '×', { type: 'button', onclick: () => item.remove() })
  dismissButton.setAttribute('aria-label', 'Dismiss')
  item.append(createElement('span', `${sentence}: ${code}. ${message ?? ''}`), dismissButton)
  getElement('errors').prepend(item)
  return true
}
