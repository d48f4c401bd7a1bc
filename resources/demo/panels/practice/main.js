// @ts-check
/* This panel of a plugin practises the cards of the study set that is open in the host. */
import { appendBand, listEntries, readStudySets, readTemplate, readUiState, saveVerdict } from './bridge.js'
import { makeMistake } from './mistake.js'
import { commitStrokes, resumeCommit } from './pencil.js'
import { createElement, getElement, showFailure, showProgress } from './messages.js'
import { openCard, openedCard } from './sheet.js'
import { initializeList, markRow, readTree } from './tree.js'

/** @type {string | null} */
let topicid = null

async function readOpenSet() {
  const ui = await readUiState()
  if (showFailure('The host did not say what is open', ui)) return
  const openId = ui.state?.topicid
  topicid = typeof openId === 'string' ? openId : null
  if (topicid === null) {
    getElement('set').textContent = 'No study set is open in the host.'
    return
  }
  const [sets] = await Promise.all([readStudySets(), readReasons(), readTree(topicid)])
  if (!showFailure('The study sets could not be read', sets)) {
    const list = listEntries(sets, 'studySets')
    getElement('set').textContent = list.find((set) => set.topicid === topicid)?.title ?? topicid
  }
  await makeMistake(topicid)
}

/** Fills the list of error causes, which come from the plugin's template (`plugins[].config`). */
async function readReasons() {
  const template = await readTemplate()
  if (showFailure('The template could not be read', template)) return
  // The contract does not show what a plugin's configuration holds.
  const config = /** @type {any} */ (template.plugins?.find((plugin) => plugin.config)?.config)
  getElement('reason').replaceChildren(...(config?.reasons ?? []).map(({ id, label }) => createElement('option', label, { value: id })))
}

async function chooseCard(noteid) {
  markRow(noteid)
  showProgress('')
  await openCard(noteid)
}

async function submitVerdict(form) {
  if (openedCard === null || topicid === null) return
  const { noteid, revision, commentId } = openedCard
  const self = form.get('self')
  const result = await saveVerdict(noteid, {
    commentId,
    expectedRevision: revision,
    practice: { topic: topicid },
    self,
    ...(self === 'again' ? { reason: getElement('reason').value } : {}),
  })
  const isWrong = showFailure('The verdict was not saved', result)
  if (!isWrong) showProgress(result.persisted ? `Saved: ${result.hashtags.join(' ')}` : 'The host did not save it.')
  // The host would refuse the same verdict again, so the panel reads which study set is open now.
  if (result.error?.code === 'PRACTICE_TOPIC_CHANGED') await readOpenSet()
  await openCard(noteid)
}

async function addBand() {
  if (openedCard === null) return
  const { noteid } = openedCard
  const result = await appendBand(noteid)
  if (!showFailure('The band was not appended', result)) showProgress(`The card has ${result.bands.length} blank bands.`)
  await openCard(noteid)
}

/** Runs one write at a time: the buttons are disabled meanwhile. */
async function withDisabledButtons(write) {
  const buttons = [...getElement('sheet').querySelectorAll('button')].filter((button) => button.id !== 'pencil')
  for (const button of buttons) button.disabled = true
  await write()
  for (const button of buttons) button.disabled = false
}

initializeList((noteid) => void chooseCard(noteid))
getElement('again').onclick = () => void readOpenSet()
getElement('band').onclick = () => void withDisabledButtons(addBand)
getElement('pencil').onclick = () => void commitStrokes()
getElement('verdict').addEventListener('change', (event) => {
  if (event.target.name === 'self') getElement('why').hidden = event.target.value !== 'again'
})
getElement('verdict').addEventListener('submit', (event) => {
  event.preventDefault()
  const form = new FormData(event.target)
  void withDisabledButtons(() => submitVerdict(form))
})
void readOpenSet()
void resumeCommit()
