import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { createExternalOpener } from '../../shared/external-link.ts'
import { needsExternalConfirmation, openExternal } from '../ipc/call.ts'

/** Addresses from the host that leave the app: checked, shown in full, and opened only if the user agrees. */
export const useExternalLinks = defineStore('external', () => {
  /** The address the user is being asked about. */
  const pendingUrl = shallowRef<string | null>(null)
  let decide: (yes: boolean) => void = () => undefined

  function ask(href: string): Promise<boolean> {
    pendingUrl.value = href
    return new Promise((resolve) => (decide = resolve))
  }

  /** The user's decision on that address. */
  function resolvePending(yes: boolean): void {
    pendingUrl.value = null
    decide(yes)
  }

  const open = createExternalOpener({
    confirm: needsExternalConfirmation ? ask : () => Promise.resolve(true),
    open: openExternal,
  })
  return { asked: pendingUrl, answer: resolvePending, open }
})
