import { useQuery } from '@apollo/client/react';
import { graphql } from '../../gql';
import type { ServiceFiguresFieldsFragment, ServiceStatusQuery } from '../../gql/graphql';

export const ServiceFiguresFields = graphql(`
  fragment ServiceFiguresFields on ServiceFigures {
    uptimePercent
    p50Ms
    p95Ms
    firstByteP50Ms
  }
`);

const ServiceStatusDocument = graphql(`
  query ServiceStatus {
    serviceStatus {
      measuredAt
      providers {
        provider
        figures {
          ...ServiceFiguresFields
        }
        days {
          start
          uptimePercent
        }
        models {
          model
          figures {
            ...ServiceFiguresFields
          }
        }
      }
    }
  }
`);

export type ServiceFigures = ServiceFiguresFieldsFragment;
export type MeasuredProvider = ServiceStatusQuery['serviceStatus']['providers'][number];

/** How providers did in the last 30 days, as the server measured within the last minute. */
export function useMeasures() {
  const { data, error, refetch } = useQuery(ServiceStatusDocument);
  const measured = data?.serviceStatus;
  /** Of one model at one provider; null: not measured yet; undefined: not known, since no answer has come. */
  function findFigures(provider: string, model: string): ServiceFigures | null | undefined {
    if (measured === undefined) return undefined;
    const own = measured.providers.find((one) => one.provider === provider);
    return own?.models.find((one) => one.model === model)?.figures ?? null;
  }
  return { measured, error, refetch, findFigures };
}
