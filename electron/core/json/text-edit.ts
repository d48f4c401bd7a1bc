import { parsePointer, toPointerStep } from '../../../shared/json/pointer.ts'
import {
  isContainerStart,
  listMembers,
  skipWhiteSpace,
  findValueEnd,
  type JsonMember,
} from '../../../shared/json/token-cursor.ts'

/** The reason why a pointer cannot be followed in a text. */
export type TextEditProblem =
  /** The pointer is not empty and does not begin with a slash. */
  | 'pointer'
  /** The pointer leads into a text, a number, a truth value or null. */
  | 'no-container'
  /** A step into a list is neither an index nor `-`. */
  | 'no-index'
  /** An index is greater than the length of its list. */
  | 'past-end'

/** `reachedPointer` is the part that could be followed. A replaced text may be null. */
type TextEditResult =
  | { readonly text: string; readonly before: string | null }
  | { readonly problem: TextEditProblem; readonly reachedPointer: string }

const INDEX = /^(?:0|[1-9]\d*)$/

/**
 * Sets the value at a JSON pointer (RFC 6901) in valid JSON text. The rest of the text stays byte
 * for byte: numbers that a double cannot hold, repeated names, white space. An index equal to the
 * length of a list, and `-`, append. Missing parents are created: a list if the next step is `-` or
 * `0`, an object otherwise. If a name is repeated, the last member counts, as in `JSON.parse`.
 */
export function setJsonValue(text: string, pointer: string, json: string): TextEditResult {
  return followPointer(
    text,
    pointer,
    (start, [step, ...remainingSteps], reachedPointer) => {
      const isList = text[start] === '['
      const members = listMembers(text, start)
      const createValue = (): string => remainingSteps.reduceRight((inner, next) => wrapInContainer(next, inner), json)
      if (isList) {
        if (step !== '-' && !INDEX.test(step)) return { problem: 'no-index', reachedPointer }
        if (step !== '-' && Number(step) > members.length) return { problem: 'past-end', reachedPointer }
      }
      const name = isList ? '' : `${JSON.stringify(step)}:`
      return { text: insertMember(text, start, members.at(-1), `${name}${createValue()}`), before: null }
    },
    (start, end) => ({ text: text.slice(0, start) + json + text.slice(end), before: text.slice(start, end) }),
  )
}

/** Follows pointers like `setJsonValue`; the empty one sets the text to `null`. */
export function removeJsonValue(text: string, pointer: string): TextEditResult {
  if (pointer === '') return setJsonValue(text, '', 'null')
  const steps = parseSteps(pointer)
  if (steps === null) return { problem: 'pointer', reachedPointer: '' }
  const parent = pointer.slice(0, pointer.lastIndexOf('/'))
  const last = steps.at(-1)
  const unchanged = { text, before: null }
  return followPointer(
    text,
    parent,
    () => unchanged,
    (start) => {
      if (!isContainerStart(text, start)) return unchanged
      const members = listMembers(text, start)
      const member = members.findLast(({ name }) => name === last)
      if (!member) return unchanged
      return { text: removeMembers(text, start, members, member.name), before: text.slice(member.start, member.end) }
    },
  )
}

/** Sets a member at the end of an object, or removes it for null; other text stays as it is. */
export function setMember(text: string, name: string, json: string | null): string {
  const open = skipWhiteSpace(text, 0)
  if (text[open] !== '{') return text
  const otherMembers = listMembers(text, open).filter((member) => member.name !== name)
  const addedMembers = json === null ? [] : [`${JSON.stringify(name)}:${json}`]
  return `{${[...otherMembers.map(({ nameStart, end }) => text.slice(nameStart, end)), ...addedMembers].join(',')}}`
}

/** `onMissing` gets the last container and the remaining steps, `onFound` the value. */
function followPointer(
  text: string,
  pointer: string,
  onMissing: (start: number, remainingSteps: [string, ...string[]], reachedPointer: string) => TextEditResult,
  onFound: (start: number, end: number) => TextEditResult,
): TextEditResult {
  const steps = parseSteps(pointer)
  if (steps === null) return { problem: 'pointer', reachedPointer: '' }
  let start = skipWhiteSpace(text, 0)
  let reachedPointer = ''
  for (const [index, step] of steps.entries()) {
    if (!isContainerStart(text, start)) return { problem: 'no-container', reachedPointer }
    const member = listMembers(text, start).findLast(({ name }) => name === step)
    if (!member) return onMissing(start, [step, ...steps.slice(index + 1)], reachedPointer)
    start = member.start
    reachedPointer += toPointerStep(step)
  }
  return onFound(start, findValueEnd(text, start))
}

function parseSteps(pointer: string): string[] | null {
  if (pointer === '') return []
  return pointer.startsWith('/') ? parsePointer(pointer) : null
}

const wrapInContainer = (step: string, json: string): string =>
  step === '-' || step === '0' ? `[${json}]` : `{${JSON.stringify(step)}:${json}}`

const insertMember = (text: string, start: number, last: JsonMember | undefined, added: string): string => {
  const insertOffset = last ? last.end : start + 1
  return `${text.slice(0, insertOffset)}${last ? ',' : ''}${added}${text.slice(insertOffset)}`
}

/** Removes all of this name: a repeated one would otherwise show its earlier value. */
function removeMembers(text: string, start: number, members: readonly JsonMember[], name: string): string {
  let result = text.slice(0, members[0]?.nameStart ?? start + 1)
  let hasMembers = false
  for (const [index, member] of members.entries()) {
    if (member.name === name) continue
    result += text.slice(hasMembers ? (members[index - 1]?.end ?? member.nameStart) : member.nameStart, member.end)
    hasMembers = true
  }
  return result + text.slice(members.at(-1)?.end ?? start + 1)
}
