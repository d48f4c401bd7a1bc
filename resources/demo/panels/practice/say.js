/* What the panel says to its reader: progress in one line, and every error until it is put away. */

export const at = (name) => document.getElementById(name)

export function made(tag, text, members = {}) {
  return Object.assign(document.createElement(tag), { textContent: text, ...members })
}

export function done(text) {
  at('done').textContent = text
}

/** Shows the error of an answer, if it has one; true if so. */
export function failed(what, answer) {
  if (!answer?.error) return false
  const { code, message } = answer.error
  const item = made('li', '')
  const away = made('button', '×', { type: 'button', onclick: () => item.remove() })
  away.setAttribute('aria-label', 'Dismiss')
  item.append(made('span', `${what}: ${code}. ${message ?? ''}`), away)
  at('errors').prepend(item)
  return true
}
