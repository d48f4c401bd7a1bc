import { computed, inject, onScopeDispose, provide, shallowReactive, shallowRef } from 'vue'
import type { InjectionKey, Ref } from 'vue'
import { foldText } from '../../../shared/format/text-folding.ts'

type SectionTitle = () => string

interface SettingSearch {
  /** Folded; empty while nothing is searched for. */
  readonly words: Readonly<Ref<readonly string[]>>
  /** Maps the visibility of each setting to its section. */
  readonly settings: Map<Readonly<Ref<boolean>>, SectionTitle>
  readonly section: SectionTitle
}

const searchKey: InjectionKey<SettingSearch> = Symbol('setting-search')
/** Outside a page with a search, every setting is shown. */
const createUnfiltered = (): SettingSearch => ({ words: shallowRef([]), settings: new Map(), section: () => '' })

/** Lets a text search the settings below the component; returns how many are shown. */
export function provideSettingSearch(text: Readonly<Ref<string>>) {
  const words = computed(() => foldText(text.value).split(/\s+/).filter(Boolean))
  const settings: SettingSearch['settings'] = shallowReactive(new Map())
  provide(searchKey, { words, settings, section: () => '' })
  return computed(() => [...settings.keys()].filter((isShown) => isShown.value).length)
}

/** Returns whether any setting below the calling component is shown. */
export function provideSettingSection(title: SectionTitle) {
  const search = inject(searchKey, createUnfiltered, true)
  provide(searchKey, { ...search, section: title })
  return computed(() => [...search.settings].some(([isShown, section]) => section === title && isShown.value))
}

/** A setting is shown if its texts and section have every word; `isMatch` is for a part of it. */
export function useSettingSearch(listTexts: () => readonly string[]) {
  const { words, settings, section } = inject(searchKey, createUnfiltered, true)
  function isMatch(text: string): boolean {
    const foldedText = foldText(`${section()}\n${text}`)
    return words.value.every((word) => foldedText.includes(word))
  }
  const isShown = computed(() => listTexts().some(isMatch))
  settings.set(isShown, section)
  onScopeDispose(() => settings.delete(isShown))
  return { isShown, isMatch }
}
