import classes from './sample-receipt.module.css';

/** What a call costs, as the slip that one gets at the gate. */
export function SampleReceipt() {
  return (
    <dl className={classes.receipt} aria-label="Sample receipt">
      <div>
        <dt>812 tokens in</dt>
        <dd>0.812</dd>
      </div>
      <div>
        <dt>344 tokens out</dt>
        <dd>0.344</dd>
      </div>
      <div className={classes.total}>
        <dt>Credits charged</dt>
        <dd>1.156</dd>
      </div>
      <div className={classes.inDollars}>
        <dt>That is</dt>
        <dd>about a tenth of a cent</dd>
      </div>
    </dl>
  );
}
