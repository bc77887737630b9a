import { graphql } from '../../gql';

export const ExploreCellFields = graphql(`
  fragment ExploreCellFields on ExploreCell {
    sums @skip(if: $isTimed) {
      ...UsageSumsFields
    }
    times @include(if: $isTimed) {
      p50Ms
      p95Ms
      p99Ms
      firstByteP50Ms
      firstByteP95Ms
      tokensPerSecond
      cachedPercent
      cacheHitPercent
      reasoningPercent
    }
  }
`);

export const ExploreSeriesFields = graphql(`
  fragment ExploreSeriesFields on ExploreSeries {
    ... @skip(if: $isTimed) {
      calls
      failedCalls
      promptTokens
      completionTokens
      cachedTokens
      reasoningTokens
      charged
    }
    ... @include(if: $isTimed) {
      p50Ms
      p95Ms
      p99Ms
      firstByteP50Ms
      firstByteP95Ms
      tokensPerSecond
      cachedPercent
      cacheHitPercent
      reasoningPercent
    }
  }
`);

export const ExploreDocument = graphql(`
  query Explore($input: ExploreInput!, $isTimed: Boolean!) {
    apiKeys {
      id
      name
    }
    explore(input: $input) {
      starts
      total {
        sums {
          calls
        }
        ...ExploreCellFields
      }
      series {
        ...ExploreSeriesFields
      }
      groups {
        isRest
        model
        provider
        apiKeyId
        tag
        endUser
        outcome
        total {
          ...ExploreCellFields
        }
        series {
          ...ExploreSeriesFields
        }
        previous {
          ...ExploreCellFields
        }
      }
      previous {
        from
        total {
          ...ExploreCellFields
        }
        series {
          ...ExploreSeriesFields
        }
      }
      coveredFrom
      areTimesPartial
    }
  }
`);
