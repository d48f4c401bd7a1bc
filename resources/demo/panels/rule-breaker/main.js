/* The buttons, and what came of each. */
import { acts } from './acts.js'
import { rules } from './rules.js'
import { lookAround } from './scene.js'

const at = (name) => document.getElementById(name)
const tell = (text) => (at('done').textContent = text)
let scene = null

function button(text, press) {
  return Object.assign(document.createElement('button'), { type: 'button', textContent: text, onclick: press })
}

/** Breaks one rule; true if it came to that. */
async function breakOne(made, label, how) {
  made.dataset.end = 'waiting'
  try {
    scene ??= await lookAround()
    await how(scene)
    made.dataset.end = 'broken'
    tell(`${label}: done.`)
    return true
  } catch (error) {
    made.dataset.end = 'not'
    tell(`${label}: ${error.message}`)
    return false
  }
}

const made = rules.map(([rule, label, how]) => {
  const one = button(label, () => void alone(() => breakOne(one, label, how)))
  const name = Object.assign(document.createElement('small'), { textContent: rule })
  one.append(name)
  one.dataset.rule = rule
  return { one, label, how }
})

/** One at a time: what one rule does must not look like breaking another. */
async function alone(doIt) {
  for (const one of document.querySelectorAll('section:first-of-type button')) one.disabled = true
  await doIt()
  for (const one of document.querySelectorAll('section:first-of-type button')) one.disabled = false
}

async function breakAll() {
  let broken = 0
  for (const { one, label, how } of made) broken += (await breakOne(one, label, how)) ? 1 : 0
  tell(`${broken} of ${made.length} rules were broken.`)
}

at('rules').append(...made.map(({ one }) => one))
at('acts').append(...acts.map(([label, act]) => button(label, () => void Promise.resolve(act()).then(() => tell(`${label}: tried.`)))))
at('all').onclick = () => void alone(breakAll)
at('all').disabled = false
