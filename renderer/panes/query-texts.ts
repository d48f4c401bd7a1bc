import { useRoute, useRouter } from 'vue-router'

interface QueryTexts {
  /** Empty if the address does not name the parameter, or names it more than once. */
  getText(name: string): string
  /** Changes the named parameters, and removes those whose text is empty. */
  setTexts(texts: Readonly<Record<string, string>>): void
  /** The texts of a parameter that lists some of the given ones, in the given order. */
  getChoices<Text extends string>(name: string, texts: readonly Text[]): ReadonlySet<Text>
}

/** The parameters of the address. Changes replace it, so that going back leaves the page. */
export function useQueryTexts(): QueryTexts {
  const route = useRoute()
  const router = useRouter()
  const getText = (name: string): string => {
    const value = route.query[name]
    return typeof value === 'string' ? value : ''
  }
  return {
    getText,
    setTexts(texts) {
      const query = Object.entries(texts).map(([name, value]) => [name, value || undefined] as const)
      void router.replace({ query: { ...route.query, ...Object.fromEntries(query) } })
    },
    getChoices(name, texts) {
      const listed = getText(name).split(',')
      return new Set(texts.filter((text) => listed.includes(text)))
    },
  }
}
