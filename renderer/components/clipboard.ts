import { onScopeDispose, ref, type Ref } from 'vue'

/** Copies text to the clipboard. Returns false if neither way is allowed. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Copies without a permission, because the desktop app grants none. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'visually-hidden'
  // An open dialog keeps the focus inside, and only a focused field can be selected.
  const container = document.querySelector('[role="dialog"][aria-modal="true"]') ?? document.body
  const focused = document.activeElement
  container.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}

const FEEDBACK_MS = 1500

/** Copies with feedback: `state` is `copied` or `failed` for a moment. */
export function useClipboardCopy(): { state: Ref<'idle' | 'copied' | 'failed'>; copy(text: string): Promise<void> } {
  const state = ref<'idle' | 'copied' | 'failed'>('idle')
  let timer: ReturnType<typeof setTimeout> | undefined
  async function copy(text: string): Promise<void> {
    state.value = (await copyText(text)) ? 'copied' : 'failed'
    clearTimeout(timer)
    timer = setTimeout(() => (state.value = 'idle'), FEEDBACK_MS)
  }
  onScopeDispose(() => {
    clearTimeout(timer)
  })
  return { state, copy }
}
