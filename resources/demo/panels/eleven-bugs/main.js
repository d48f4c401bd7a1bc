import { bugs } from './bugs.js'
import { readLibrary } from './library.js'
import { getElement, showResult } from './page.js'

const library = await readLibrary()

async function run(button, bug) {
  button.disabled = true
  showResult('')
  try {
    await bug(library)
  } finally {
    button.disabled = false
  }
}

for (const [label, bug] of bugs) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label })
  button.onclick = () => void run(button, bug)
  getElement('bugs').append(button)
}
