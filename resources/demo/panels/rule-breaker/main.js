/* Shows a button for each rule and each forbidden action, and whether it succeeded. */
import { readDemoData } from './demo-data.js'
import { forbiddenActions } from './forbidden-actions.js'
import { rules } from './rules.js'

const getElement = (id) => document.getElementById(id)
const showProgress = (text) => (getElement('done').textContent = text)
let demoData = null

function createButton(text, onclick) {
  return Object.assign(document.createElement('button'), { type: 'button', textContent: text, onclick })
}

/** Tries to break one rule. Returns whether it was broken. */
async function breakOne({ button, label, breakRule }) {
  button.dataset.end = 'waiting'
  try {
    demoData ??= await readDemoData()
    await breakRule(demoData)
    button.dataset.end = 'broken'
    showProgress(`${label}: done.`)
    return true
  } catch (error) {
    button.dataset.end = 'not'
    showProgress(`${label}: ${error.message}`)
    return false
  }
}

const ruleButtons = rules.map(([rule, label, breakRule]) => {
  const button = createButton(label, () => void withDisabledButtons(() => breakOne({ button, label, breakRule })))
  const name = Object.assign(document.createElement('small'), { textContent: rule })
  button.append(name)
  button.dataset.rule = rule
  return { button, label, breakRule }
})

/** Breaks one rule at a time, because the requests of one must not look like breaking another. */
async function withDisabledButtons(run) {
  for (const button of document.querySelectorAll('section:first-of-type button')) button.disabled = true
  await run()
  for (const button of document.querySelectorAll('section:first-of-type button')) button.disabled = false
}

async function breakAll() {
  let broken = 0
  for (const ruleButton of ruleButtons) broken += (await breakOne(ruleButton)) ? 1 : 0
  showProgress(`${broken} of ${ruleButtons.length} rules were broken.`)
}

getElement('rules').append(...ruleButtons.map(({ button }) => button))
getElement('acts').append(
  ...forbiddenActions.map(([label, tryAction]) =>
    createButton(label, () => void Promise.resolve(tryAction()).then(() => showProgress(`${label}: tried.`))),
  ),
)
getElement('all').onclick = () => void withDisabledButtons(breakAll)
getElement('all').disabled = false
