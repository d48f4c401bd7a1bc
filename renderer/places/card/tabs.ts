import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { filledText } from '../../../shared/json/filled-text.ts'

export const cardTabs = ['overview', 'parts', 'bands', 'content', 'render', 'raw'] as const
type CardTab = (typeof cardTabs)[number]

/** What a card's address holds: which card, which view of it, and which of its contents. */
export function useAddress() {
  const route = useRoute()
  const router = useRouter()
  const change = (query: Readonly<Record<string, string | undefined>>): void =>
    void router.replace({ query: { ...route.query, ...query } })

  const tab = computed({
    get: (): CardTab => cardTabs.find((one) => one === route.query['tab']) ?? 'overview',
    set: (next) => change({ tab: next === 'overview' ? undefined : next }),
  })
  /** `contentId` of the content being viewed. */
  const content = computed({
    get: () => filledText(route.query['content']),
    set: (contentId) => change({ content: contentId ?? undefined }),
  })

  return {
    noteid: computed(() => filledText(route.params['noteid']) ?? ''),
    /** The study set the card was opened from. */
    topicid: computed(() => filledText(route.query['topicid'])),
    tab,
    content,
    openContent: (contentId: string): void => change({ tab: 'content', content: contentId }),
  }
}
