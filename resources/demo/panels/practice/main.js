/* A plugin's panel that practises the cards of the study set that is open in the host. */
import { appendBand, giveVerdict, studySets, template, uiState } from './bridge.js'
import { commit, resume } from './pencil.js'
import { at, done, failed, made } from './say.js'
import { openSheet, sheet } from './sheet.js'
import { mark, readTree, watchList } from './tree.js'

let topicid = null

async function begin() {
  const ui = await uiState()
  if (failed('The host did not say what is open', ui)) return
  topicid = ui.state?.topicid ?? null
  if (topicid === null) {
    at('set').textContent = 'No study set is open in the host.'
    return
  }
  const [sets] = await Promise.all([studySets(), readReasons(), readTree(topicid)])
  const list = Array.isArray(sets) ? sets : (sets.studySets ?? sets.items ?? [])
  if (!failed('The study sets could not be read', sets)) {
    at('set').textContent = list.find((one) => one.topicid === topicid)?.title ?? topicid
  }
}

/** The causes of error are the scene's own (`plugins[].config`). */
async function readReasons() {
  const scene = await template()
  if (failed('The template could not be read', scene)) return
  const config = scene.plugins?.find((plugin) => plugin.config)?.config
  at('reason').replaceChildren(...(config?.reasons ?? []).map(({ id, label }) => made('option', label, { value: id })))
}

async function choose(noteid) {
  mark(noteid)
  done('')
  await openSheet(noteid)
}

async function saveVerdict(form) {
  const { noteid, revision, commentId } = sheet
  const self = form.get('self')
  const answer = await giveVerdict(noteid, {
    commentId,
    expectedRevision: revision,
    practice: { topic: topicid },
    self,
    ...(self === 'again' ? { reason: at('reason').value } : {}),
  })
  const isWrong = failed('The verdict was not saved', answer)
  if (!isWrong) done(answer.persisted ? `Saved: ${answer.hashtags.join(' ')}` : 'The host did not save it.')
  // Sent again as it is, it would be refused again: look at what is open now.
  if (answer.error?.code === 'PRACTICE_TOPIC_CHANGED') await begin()
  await openSheet(noteid)
}

async function addBand() {
  const { noteid } = sheet
  const answer = await appendBand(noteid)
  if (!failed('The band was not appended', answer)) done(`The card has ${answer.bands.length} blank bands.`)
  await openSheet(noteid)
}

/** One write at a time: the buttons rest while one is under way. */
async function write(doIt) {
  const buttons = [...at('sheet').querySelectorAll('button')].filter((button) => button.id !== 'pencil')
  for (const button of buttons) button.disabled = true
  await doIt()
  for (const button of buttons) button.disabled = false
}

watchList((noteid) => void choose(noteid))
at('again').onclick = () => void begin()
at('band').onclick = () => void write(addBand)
at('pencil').onclick = () => void commit()
at('verdict').addEventListener('change', (event) => {
  if (event.target.name === 'self') at('why').hidden = event.target.value !== 'again'
})
at('verdict').addEventListener('submit', (event) => {
  event.preventDefault()
  const form = new FormData(event.target)
  void write(() => saveVerdict(form))
})
void begin()
void resume()
