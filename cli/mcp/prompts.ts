import { createRefusedError } from '../../shared/errors.ts'

interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string }[]
  /** @param value returns an argument; empty if it was left out */
  readonly write: (value: (name: string) => string) => string
}

/** Longer values are no id and no name. */
const MAX_VALUE_CHARS = 400

const RULES =
  'Say what was recorded and what you conclude from it. What was not recorded, or only in part, is unknown: say so. Advice is about what the contract leaves open, and no fault.'

/** The commonest jobs, as the tools do them. */
const prompts: readonly Prompt[] = [
  {
    name: 'why_did_this_call_fail',
    title: 'Why did this call fail?',
    description: 'Finds the call, the reason that the host gave, and what was different when it went well',
    arguments: [{ name: 'call', description: 'seq, path, error code or id; without it, the last call that failed' }],
    write: (value) =>
      `Find out why ${value('call') === '' ? 'the last call that failed' : `the call ${JSON.stringify(value('call'))}`} failed. Find it with exchanges_search (statuses 4, 5 or none; text or id), and read it with exchange_get: status, error code, message, request body, findings. If the same request went well at another time, compare the two with exchanges_compare. For a write, operations_list and operation_get tell what became of it. ${RULES}`,
  },
  {
    name: 'what_changed',
    title: 'What changed?',
    description: 'Lists what changed in a study set since a time, and which recorded call did it',
    arguments: [
      { name: 'studySet', description: 'Title or id; without it, the one that is open' },
      { name: 'since', description: 'A time in words; without it, since the last snapshot but one' },
    ],
    write: (value) =>
      `Tell what changed in ${value('studySet') === '' ? 'the study set that is open (context_get)' : `the study set ${JSON.stringify(value('studySet'))} (studySets_list has its id)`}${value('since') === '' ? '' : ` since ${JSON.stringify(value('since'))}`}. Use changes_list: which cards, how, and which call did it. Where nobody is named, no recorded call did it. Say between which two times this is known. ${RULES}`,
  },
  {
    name: 'check_my_panel',
    title: 'Check my panel',
    description: 'Lists what a panel did against the contract, with the line of its code and what to do instead',
    arguments: [{ name: 'panel', description: 'Name of the panel; without it, all panels' }],
    write: (value) =>
      `Check ${value('panel') === '' ? 'the panels that ran' : `the panel ${JSON.stringify(value('panel'))}`}. Read findings_list (origin panel${value('panel') === '' ? '' : ', label: its name'}): for each rule what the panel did, in which calls (exchange_get), at which line of its code, and what to do instead. Then its calls that failed (exchanges_search, origins panel). If there are no findings, say how many calls of it were recorded: without calls nothing was checked. ${RULES}`,
  },
]

export function listPrompts() {
  return prompts.map(({ name, title, description, arguments: list }) => ({
    name,
    title,
    description,
    arguments: list.map((argument) => ({ ...argument })),
  }))
}

/** @throws PROMPT_UNKNOWN, or ARGUMENTS_INVALID for an argument that the prompt has not */
export function getPrompt(name: string, values: Readonly<Record<string, string>> = {}) {
  const prompt = prompts.find((candidate) => candidate.name === name)
  if (!prompt) throw createRefusedError('PROMPT_UNKNOWN', `There is no prompt ${name.slice(0, 100)}.`)
  const unknown = Object.keys(values).find((key) => !prompt.arguments.some((argument) => argument.name === key))
  if (unknown !== undefined)
    throw createRefusedError('ARGUMENTS_INVALID', `${name} has no argument ${unknown.slice(0, 100)}.`)
  const text = prompt.write((key) => (values[key] ?? '').trim().slice(0, MAX_VALUE_CHARS))
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}
