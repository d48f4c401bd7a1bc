import { defineStore } from './define-store.ts'
import { createKeybindingsHandler } from 'tinykeys'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { getShortcutKey, isComposing, isTypedWithAltGr } from '../../shared/format/shortcut-key.ts'
import { useSettings } from './settings.ts'
import { findBindingConflicts, isKeyBinding, isUsableWhileTyping } from './key-bindings.ts'

/** The part of an action that the help sheet and the settings show. */
export type ActionInfo = Pick<Action, 'id' | 'titleKey' | 'groupKey' | 'keys'>

/** An action can have keys, an entry in the command palette, or both. */
export interface Action {
  /** Stable id, which is also the key in the settings: `shell.toggleInspector`. */
  readonly id: string
  readonly titleKey: string
  /** Translation key of the heading in the help sheet. */
  readonly groupKey: string
  /** Keys such as `$mod+K`, `[Shift]+?`, `G L` (tinykeys); absent for the palette only. */
  readonly keys?: string
  readonly run: () => void
  /** While the function returns false, the action is neither offered nor performed. */
  readonly isEnabled?: () => boolean
  /** True for actions that make no sense in the palette, such as opening the palette. */
  readonly isHidden?: boolean
}

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable="true"], [role="textbox"]') !== null

/** The place received the focus because nothing had it any more; a layer returns its own. */
const isPlaceGivenLostFocus = (event: Event): boolean =>
  event instanceof FocusEvent &&
  event.relatedTarget === null &&
  event.target instanceof Element &&
  event.target.matches('main')

/** Text typed into a field that has gone must not run shortcuts. */
const LOST_FOCUS_MS = 500

/** Tells whether a key follows text whose field lost the focus without an act of the user. */
class LostFocus {
  private wasTyping = false
  private isLeaving = false
  private lastLostAt: number | null = null

  /** @param event each keydown, focusin, focusout and pointerdown, in the capture phase */
  observe(event: Event): void {
    if (event instanceof KeyboardEvent) {
      if (['Escape', 'Enter', 'Tab'].includes(event.key)) this.isLeaving = true
      else if (isTyping(event)) this.isLeaving = false
    } else if (event.type === 'pointerdown') this.isLeaving = true
    else if (event.type === 'focusout') this.lastLostAt = event.timeStamp
    else if (!isPlaceGivenLostFocus(event)) {
      this.wasTyping = isTyping(event)
      this.isLeaving = false
      this.lastLostAt = null
    }
  }

  /** A browser may fire no focusout for a field that is removed, so the key itself may be first. */
  isFollowedBy({ timeStamp }: KeyboardEvent): boolean {
    if (!this.wasTyping) return false
    this.lastLostAt ??= timeStamp
    this.wasTyping = !this.isLeaving && timeStamp - this.lastLostAt < LOST_FOCUS_MS
    this.lastLostAt = timeStamp
    return this.wasTyping
  }
}

/** A binding in the settings takes precedence over an action's default. */
export const useShortcuts = defineStore('shortcuts', () => {
  const settings = useSettings()
  const actions = shallowRef<readonly Action[]>([])
  /** True while the user records a key, which must not start an action. */
  const paused = shallowRef(false)

  const bindings = computed<ReadonlyMap<string, string>>(() => {
    const custom = settings.values.shortcuts
    return new Map(
      actions.value.flatMap(({ id, keys }) => {
        const binding = Object.hasOwn(custom, id) ? custom[id] : keys
        return binding === undefined || binding === '' ? [] : [[id, binding] as const]
      }),
    )
  })
  const conflicts = computed(() => findBindingConflicts(bindings.value))

  function register(added: readonly Action[]): () => void {
    const ids = new Set(added.map(({ id }) => id))
    const replaced = actions.value.filter(({ id }) => ids.has(id))
    actions.value = [...actions.value.filter(({ id }) => !ids.has(id)), ...added]
    return () => {
      actions.value = [...actions.value.filter((action) => !added.includes(action)), ...replaced]
    }
  }

  /** An empty text removes the binding, null restores the default. */
  function rebind(id: string, keys: string | null): void {
    const rest = Object.fromEntries(Object.entries(settings.values.shortcuts).filter(([key]) => key !== id))
    settings.update({ shortcuts: keys === null ? rest : { ...rest, [id]: keys } })
  }

  function keysOf(id: string): string | undefined {
    return bindings.value.get(id)
  }

  function isEnabled(action: Action): boolean {
    return action.isEnabled?.() ?? true
  }

  function createHandlers(isWhileTyping: boolean): Record<string, (event: KeyboardEvent) => void> {
    const handlers: Record<string, (event: KeyboardEvent) => void> = {}
    for (const action of actions.value) {
      const keys = bindings.value.get(action.id)
      if (keys === undefined || !isKeyBinding(keys) || isUsableWhileTyping(keys) !== isWhileTyping) continue
      handlers[keys] = (event) => {
        if (!isEnabled(action)) return
        event.preventDefault()
        action.run()
      }
    }
    return handlers
  }

  /** Handles the shortcuts in a window. The returned function removes the listeners. */
  function listen(target: Window): () => void {
    let handlers: EventListener[] = []
    let boundKeys = ''
    const lostFocus = new LostFocus()
    const observe = (event: Event): void => {
      lostFocus.observe(event)
      // Only the field that has the focus uses a key of which an input method makes text.
      if (event instanceof KeyboardEvent && isComposing(event)) event.stopImmediatePropagation()
    }
    const observed = ['keydown', 'focusin', 'focusout', 'pointerdown']
    const stopWatch = watch(
      [actions, bindings],
      () => {
        boundKeys = [...bindings.value.values()].join(' ').toUpperCase()
        handlers = [
          createKeybindingsHandler(createHandlers(true), { ignore: (event) => paused.value || event.repeat }),
          createKeybindingsHandler(createHandlers(false), {
            ignore: (event) => paused.value || event.repeat || isTyping(event) || lostFocus.isFollowedBy(event),
          }),
        ]
      },
      { immediate: true },
    )
    const onKey = (event: Event): void => {
      // A form that is filled in automatically dispatches events without a key.
      if (event.defaultPrevented || !(event instanceof KeyboardEvent) || isTypedWithAltGr(event)) return
      const key = boundKeys.includes(event.key.toUpperCase()) ? event.key : getShortcutKey(event)
      const press = {
        key,
        code: event.code,
        repeat: event.repeat,
        target: event.target,
        timeStamp: event.timeStamp,
        getModifierState: (modifier: string) => event.getModifierState(modifier),
        preventDefault: () => event.preventDefault(),
      }
      for (const handler of handlers) handler(press as KeyboardEvent)
    }
    for (const type of observed) target.addEventListener(type, observe, true)
    target.addEventListener('keydown', onKey)
    return () => {
      stopWatch()
      for (const type of observed) target.removeEventListener(type, observe, true)
      target.removeEventListener('keydown', onKey)
    }
  }

  return { actions, bindings, conflicts, paused, register, rebind, keysOf, isEnabled, listen }
})

/** Registers actions until the calling component is removed. */
export function useActions(actions: readonly Action[]): void {
  onScopeDispose(useShortcuts().register(actions))
}

interface PaletteCommand {
  readonly run: () => unknown
  readonly isEnabled?: () => boolean
}

/** Registers palette commands without keys, each under the translation key of its title. */
export function useCommands(groupKey: string, commands: Readonly<Record<string, PaletteCommand>>): void {
  useActions(
    Object.entries(commands).map(([titleKey, { run, ...rest }]) => ({
      id: titleKey,
      titleKey,
      groupKey,
      run: () => void run(),
      ...rest,
    })),
  )
}
