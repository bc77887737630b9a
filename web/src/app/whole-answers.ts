import { ApolloLink, ServerParseError } from '@apollo/client';
import { map } from 'rxjs';

/**
 * Lets answers through that have data or errors. One that has neither, as a proxy in front may make it, is told as one that cannot be
 * read: no page is written for it.
 */
export function createWholeAnswerLink(): ApolloLink {
  return new ApolloLink((operation, forward) =>
    forward(operation).pipe(
      map((answer) => {
        if (isWhole(answer)) return answer;
        const { response } = operation.getContext() as { response: Response };
        throw new ServerParseError(new Error('The answer has neither data nor errors.'), {
          response,
          bodyText: JSON.stringify(answer),
        });
      }),
    ),
  );
}

function isWhole({ data, errors }: ApolloLink.Result): boolean {
  return (data !== null && data !== undefined) || (errors !== undefined && errors.length > 0);
}
